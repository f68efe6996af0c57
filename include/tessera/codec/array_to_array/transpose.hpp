// Transpose: permutes the dimensions of a chunk (specification: codecs/transpose).
#pragma once
#include <string_view>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `order`, a permutation; encoded dimension i is decoded dimension order[i]. It never runs: the placer
/// reads elements through its layout.
struct Transpose {
  using kind = array_to_array;
  static constexpr std::string_view name = "transpose";
  template <class S>
  static constexpr bool runs_in = true;

  Extents order;

  static Transpose from(ObjectReader& configuration);
  Value configuration() const;
  ChunkSpecification encoded(ChunkSpecification chunk) const;
  Layout decoded(Layout encoded) const;
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/transpose.ipp>
#endif
