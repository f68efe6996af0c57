// CastValue: converts elements to another number type (zarr-extensions, codecs/cast_value).
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include <tessera/codec/detail/cast_numbers.hpp>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/json_number.hpp>

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

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/cast_value.ipp>
#endif
