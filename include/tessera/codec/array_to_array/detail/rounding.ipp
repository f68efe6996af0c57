#pragma once
#include <tessera/codec/array_to_array/rounding.hpp>

#include <cmath>
#include <cstdint>

#include <tessera/codec/array_to_array/detail/convert_numbers.hpp>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/number_type.hpp>
#include <tessera/codec/detail/numbers.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL BitRound BitRound::from(ObjectReader& configuration) {
  BitRound codec;
  codec.keepbits = configuration.at("keepbits").integer<std::uint32_t>(0, 64);
  return codec;
}

TESSERA_DECL Value BitRound::configuration() const { return Members{{"keepbits", Value::integer(keepbits)}}; }

TESSERA_DECL ChunkSpecification BitRound::encoded(ChunkSpecification chunk) const {
  auto const type = component(chunk);
  if (!detail::holds_numbers(type))
    throw MetadataError{to_text({"found elements of ", chunk.type.name(), ", which this codec does not support"})};
  std::uint32_t const most = type.size == 2 ? 10 : type.size == 4 ? 23 : 52;
  if (type.kind == DataKind::floating && keepbits > most)
    throw MetadataError{to_text({"member configuration.keepbits: found ", keepbits, ", expected at most ", most,
                                 ", the number of fraction bits of ", chunk.type.name()})};
  return chunk;
}

TESSERA_DECL detail::CopyElements BitRound::decoder(ChunkSpecification const& chunk) const {
  return {component(chunk).size};
}

TESSERA_DECL detail::RoundBits BitRound::encoder(ChunkSpecification const& chunk) const {
  return {component(chunk), keepbits};
}

TESSERA_DECL DataType BitRound::component(ChunkSpecification const& chunk) {
  if (chunk.type.kind != DataKind::complex) return chunk.type;
  return {DataKind::floating, chunk.type.size / 2, chunk.type.format};
}

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
