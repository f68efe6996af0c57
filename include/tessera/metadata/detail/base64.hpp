// decode_base64, encode_base64 (RFC 4648, section 4).
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Decodes the standard alphabet with padding. nullopt: any other text.
TESSERA_DECL std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

[[gnu::cold]] TESSERA_DECL std::string encode_base64(std::span<std::byte const> bytes);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/base64.ipp>
#endif
