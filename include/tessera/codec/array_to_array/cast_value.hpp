// Elements as another number type. CastValue (zarr-extensions, codecs/cast_value); AsType: numcodecs' astype.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <tessera/codec/array_to_array/detail/convert_numbers.hpp>
#include <tessera/codec/detail/cast_numbers.hpp>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/json_number.hpp>
#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/detail/numpy_type.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `data_type` of the stored numbers; `rounding`, by default to the nearest, ties to even;
/// `out_of_range`, "clamp" or "wrap", by default an error; `scalar_map`, conversions of particular numbers, at most 16
/// each way.
struct CastValue : detail::Elementwise<CastValue> {
  static constexpr std::string_view name = "cast_value";

  /// A number `from`, which becomes the number `to`.
  struct Pair {
    detail::JsonNumber from, to;
  };

  DataType data_type;
  detail::Rounding rounding = detail::Rounding::nearest_even;
  detail::OutOfType out_of_range = detail::OutOfType::refuse;
  std::vector<Pair> encoding{}, decoding{};

  static CastValue from(ObjectReader& configuration);
  Value configuration() const;

  /// Throws: MetadataError, if decoding does not restore the fill value.
  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::CastNumbers decoder(ChunkSpecification const& chunk) const;
  detail::CastNumbers encoder(ChunkSpecification const& chunk) const;

 private:
  static constexpr char const* roundings[]{"nearest-even", "towards-zero", "towards-positive", "towards-negative",
                                           "nearest-away"};

  std::vector<std::byte> decoded_fill(ChunkSpecification const& chunk) const;
  static std::vector<Pair> pairs_of(MemberValue const& found);
  static Value list_of(std::vector<Pair> const& pairs);
  static detail::CastMap mapped(char const* way, std::vector<Pair> const& pairs, DataType from, DataType to);
};

/// Configuration: `encode_dtype`, and `decode_dtype`, by default the elements' type: number types by NumPy's names.
/// Conversion is NumPy's: integers wrap around, fractions are truncated to integers.
struct AsType : detail::Elementwise<AsType> {
  static constexpr std::string_view name = "numcodecs.astype";

  detail::NumpyType encode_dtype;
  std::optional<detail::NumpyType> decode_dtype;

  static AsType from(ObjectReader& configuration);
  Value configuration() const;
  AsType fitted(ChunkSpecification const& chunk) const;

  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::ConvertNumbers decoder(ChunkSpecification const& chunk) const;
  detail::ConvertNumbers encoder(ChunkSpecification const& chunk) const;
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/cast_value.ipp>
#endif
