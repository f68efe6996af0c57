// zarr-python's own structs, "structured": the codec `bytes` may omit the byte order, and the base64 fill value has
// that of the codec.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// A fill value from native byte order to the codec's, or back.
[[gnu::cold]] TESSERA_DECL std::vector<std::byte> in_codec_order(std::vector<std::byte> fill,
                                                           std::vector<Specification> codecs,
                                                           std::span<Field const> fields);

// Sets a missing byte order to little endian.
[[gnu::cold]] TESSERA_DECL void name_byte_order(std::span<Specification> codecs, DataType const& type);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/structured.ipp>
#endif
