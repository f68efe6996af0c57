// Arithmetic on numbers from a file: overflow is an error.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// Throws: MetadataError naming `what`, if the product does not fit in 64 bits.
TESSERA_DECL std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, std::string_view what);

/// Throws: MetadataError naming `what`, if an object in memory cannot have this size.
TESSERA_DECL std::size_t checked_size(std::uint64_t n, std::string_view what);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/checked.ipp>
#endif
