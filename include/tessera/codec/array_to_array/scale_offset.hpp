// (x - offset) * scale. ScaleOffset: in the arithmetic of the elements (zarr-extensions, codecs/scale_offset).
// FixedScaleOffset: numcodecs' fixedscaleoffset, fractions as integers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tessera/codec/array_to_array/detail/scale_and_round.hpp>
#include <tessera/codec/array_to_array/detail/scale_values.hpp>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/json_number.hpp>
#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/detail/numpy_type.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `offset`, by default 0, and `scale`, by default 1, never 0: numbers of the elements' type.
struct ScaleOffset : detail::Elementwise<ScaleOffset> {
  static constexpr std::string_view name = "scale_offset";

  detail::JsonNumber offset, scale{Value::integer(1), 1, 1};

  static ScaleOffset from(ObjectReader& configuration);
  Value configuration() const;
  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::ScaleValues decoder(ChunkSpecification const& chunk) const { return values(chunk, false); }
  detail::ScaleValues encoder(ChunkSpecification const& chunk) const { return values(chunk, true); }

 private:
  detail::ScaleValues values(ChunkSpecification const& chunk, bool encodes) const;
};

/// Configuration: `offset` and `scale`, numbers; `dtype` of the elements, and `astype` of the stored numbers, by
/// default the same: number types by NumPy's names. Arithmetic and rounding are NumPy's.
struct FixedScaleOffset : detail::Elementwise<FixedScaleOffset> {
  static constexpr std::string_view name = "numcodecs.fixedscaleoffset";

  detail::JsonNumber scale, offset;
  std::optional<detail::NumpyType> dtype, astype;

  static FixedScaleOffset from(ObjectReader& configuration);
  Value configuration() const;
  FixedScaleOffset fitted(ChunkSpecification const& chunk) const;

  /// The type of encoded elements.
  DataType encoded_type(DataType type) const { return astype ? astype->type : type; }
  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::UndoScaleOffset decoder(ChunkSpecification const& chunk) const;
  detail::ScaleAndRound encoder(ChunkSpecification const& chunk) const;
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/scale_offset.ipp>
#endif
