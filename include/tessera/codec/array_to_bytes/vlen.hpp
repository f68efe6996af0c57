// VlenUtf8, VlenBytes, VlenV2: strings and bytes of any length in C order, each after its length (zarr-extensions:
// codecs/vlen-utf8, codecs/vlen-bytes).
#pragma once
#include <concepts>
#include <cstddef>
#include <string_view>

#include <tessera/codec/array_to_bytes/detail/vlen_codec.hpp>
#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {

namespace codec {

/// For elements of type `string`, and `bytes`. No configuration.
using VlenUtf8 = detail::VlenCodec<DataKind::string>;
using VlenBytes = detail::VlenCodec<DataKind::bytes>;

/// The same bytes for either type, under zarrs' name (https://codec.zarrs.dev/array_to_bytes/vlen_v2). No
/// configuration.
struct VlenV2 {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "vlen_v2";
  static constexpr bool takes_varying = true;
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Host>;

  /// Throws: MetadataError, if the elements have another type.
  Layout layout(ChunkSpecification const& chunk) const;
  std::size_t encoded_bound(ChunkSpecification const& chunk) const { return VlenBytes{}.encoded_bound(chunk); }

  /// As VlenUtf8 and VlenBytes.
  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>& on) const;
  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>& on) const;
};

}  // namespace codec

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_bytes/detail/vlen.ipp>
#endif
