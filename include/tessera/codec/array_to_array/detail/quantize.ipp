#pragma once
#include <tessera/codec/array_to_array/quantize.hpp>

#include <cmath>

#include <tessera/codec/array_to_array/as_type.hpp>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/number_type.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL Quantize Quantize::from(ObjectReader& configuration) {
  Quantize codec;
  codec.digits = configuration.at("digits").integer<int>(-300, 300);
  for (auto const* member : {"dtype", "astype"}) {
    auto& type = *member == 'd' ? codec.dtype : codec.astype;
    type = detail::find_number_type(configuration, member);
    if (type && type->type.kind != DataKind::floating) configuration.at(member).refuse("floating-point numbers");
  }
  return codec;
}

TESSERA_DECL Value Quantize::configuration() const {
  Members members{{"digits", digits}};
  if (dtype) members.push_back({"dtype", detail::write_numpy_type(*dtype)});
  if (astype) members.push_back({"astype", detail::write_numpy_type(*astype)});
  return members;
}

TESSERA_DECL Quantize Quantize::fitted(ChunkSpecification const& chunk) const {
  auto fitted = *this;
  if (!fitted.dtype) fitted.dtype = detail::NumpyType{chunk.type};
  return fitted;
}

TESSERA_DECL ChunkSpecification Quantize::encoded(ChunkSpecification chunk) const {
  detail::expect_number_type("dtype", dtype, chunk.type);
  if (chunk.type.kind != DataKind::floating || !detail::holds_numbers(chunk.type))
    throw MetadataError{to_text({"found elements of ", chunk.type.name(), ", expected floating-point numbers"})};
  auto const type = encoded_type(chunk.type);
  chunk.fill = detail::encoded_fill(*this, chunk, type);
  chunk.type = type;
  return chunk;
}

TESSERA_DECL detail::ConvertNumbers Quantize::decoder(ChunkSpecification const& chunk) const {
  return {encoded_type(chunk.type), chunk.type};
}

TESSERA_DECL detail::QuantizeNumbers Quantize::encoder(ChunkSpecification const& chunk) const {
  return {chunk.type, encoded_type(chunk.type), detail::rounded_as(chunk.type, scale())};
}

TESSERA_DECL double Quantize::scale() const {
  double exponent = std::log10(std::pow(10.0, -digits));
  exponent = exponent < 0 ? std::floor(exponent) : std::ceil(exponent);
  return std::ldexp(1.0, static_cast<int>(std::ceil(std::log2(std::pow(10.0, -exponent)))));
}

}}}  // namespace tessera::v0::codec
