// Quantize: numcodecs' quantize, which keeps some decimal digits of fractions, and zeroes the last bits.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include <tessera/codec/array_to_array/as_type.hpp>
#include <tessera/codec/detail/elementwise.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct QuantizeNumbers {
  static constexpr bool may_refuse = false;
  DataType from, to;
  double scale;
  std::size_t from_size = from.size, to_size = to.size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* one, std::byte* other, std::size_t n) const {
    double numbers[Most];
    load_numbers(from, one, n, numbers);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = rounded_as(from, nearest_integer(rounded_as(from, scale * numbers[i])) / scale);
    store_numbers(numbers, n, to, other);
    return n;
  }
};

}  // namespace detail

namespace codec {

/// Configuration: `digits` after the point, negative before it; `dtype` of the elements, and `astype` of the stored
/// numbers, by default the same: floating-point types by NumPy's names. Decoding returns the stored numbers.
struct Quantize : detail::Elementwise<Quantize> {
  static constexpr std::string_view name = "numcodecs.quantize";

  int digits = 0;
  std::optional<detail::NumpyType> dtype, astype;

  static Quantize from(ObjectReader& configuration);
  Value configuration() const;
  Quantize fitted(ChunkSpecification const& chunk) const;

  /// The type of encoded elements.
  DataType encoded_type(DataType type) const { return astype ? astype->type : type; }
  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::ConvertNumbers decoder(ChunkSpecification const& chunk) const;
  detail::QuantizeNumbers encoder(ChunkSpecification const& chunk) const;

  /// The power of two by which numcodecs multiplies before rounding.
  double scale() const;
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/quantize.ipp>
#endif
