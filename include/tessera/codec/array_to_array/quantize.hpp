// numcodecs' quantize: fractions with as many decimal digits as are wanted, and the last bits zero.
#pragma once
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

#include <tessera/codec/array_to_array/as_type.hpp>
#include <tessera/codec/elementwise.hpp>
#include <tessera/codec/number_type.hpp>

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

/// Configuration: `digits` behind the point, negative before it; `dtype` of the elements, and `astype` of what is
/// stored, the same where it is not there: floating-point types by NumPy's names. Decoding gives what was stored.
struct Quantize : detail::Elementwise<Quantize> {
  static constexpr std::string_view name = "numcodecs.quantize";

  int digits = 0;
  std::optional<detail::NumpyType> dtype, astype;

  static Quantize from(ObjectReader& configuration) {
    Quantize codec;
    codec.digits = configuration.at("digits").integer<int>(-300, 300);
    for (auto const* member : {"dtype", "astype"}) {
      auto& type = *member == 'd' ? codec.dtype : codec.astype;
      type = detail::find_number_type(configuration, member);
      if (type && type->type.kind != DataKind::floating) configuration.at(member).refuse("floating-point numbers");
    }
    return codec;
  }
  Value configuration() const {
    Members members{{"digits", digits}};
    if (dtype) members.push_back({"dtype", detail::write_numpy_type(*dtype)});
    if (astype) members.push_back({"astype", detail::write_numpy_type(*astype)});
    return members;
  }
  Quantize fitted(DataType type) const {
    auto fitted = *this;
    if (!fitted.dtype) fitted.dtype = detail::NumpyType{type};
    return fitted;
  }

  DataType encoded_type(DataType type) const { return astype ? astype->type : type; }
  ChunkSpecification encoded(ChunkSpecification chunk) const {
    detail::expect_number_type("dtype", dtype, chunk.type);
    if (chunk.type.kind != DataKind::floating || !detail::holds_numbers(chunk.type))
      throw MetadataError{text({"found elements of ", chunk.type.name(), ", expected floating-point numbers"})};
    auto const type = encoded_type(chunk.type);
    chunk.fill = detail::encoded_fill(*this, chunk, type);
    chunk.type = type;
    return chunk;
  }
  detail::ConvertNumbers decoder(ChunkSpecification const& chunk) const {
    return {encoded_type(chunk.type), chunk.type};
  }
  detail::QuantizeNumbers encoder(ChunkSpecification const& chunk) const {
    return {chunk.type, encoded_type(chunk.type), detail::rounded_as(chunk.type, scale())};
  }

  /// The power of two that numcodecs multiplies with before it rounds.
  double scale() const {
    double exponent = std::log10(std::pow(10.0, -digits));
    exponent = exponent < 0 ? std::floor(exponent) : std::ceil(exponent);
    return std::ldexp(1.0, static_cast<int>(std::ceil(std::log2(std::pow(10.0, -exponent)))));
  }
};

}  // namespace codec
}}  // namespace tessera::v0
