// Bytes: the elements of a chunk, contiguous in C order (specification: codecs/bytes).
#pragma once
#include <bit>
#include <optional>
#include <string_view>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `endian`, "little" or "big"; required if an element's components have more than one byte. It never
/// runs: the placer reads elements through its layout.
struct Bytes {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "bytes";
  template <class S>
  static constexpr bool runs_in = true;

  std::optional<std::endian> endian = std::endian::little;

  static Bytes from(ObjectReader& configuration);
  Value configuration() const;

  /// As zarr-python writes it: without `endian` for elements without a byte order.
  Bytes fitted(ChunkSpecification const& chunk) const;
  Layout layout(ChunkSpecification const& chunk) const;
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_bytes/detail/bytes.ipp>
#endif
