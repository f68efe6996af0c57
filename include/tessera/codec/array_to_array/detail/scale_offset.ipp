#pragma once
#include <tessera/codec/array_to_array/scale_offset.hpp>

#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/json_number.hpp>
#include <tessera/codec/detail/number_type.hpp>
#include <tessera/codec/detail/numbers.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL ScaleOffset ScaleOffset::from(ObjectReader& configuration) {
  ScaleOffset codec;
  if (auto const found = configuration.find("offset")) codec.offset = detail::JsonNumber::from(*found);
  if (auto const found = configuration.find("scale")) {
    codec.scale = detail::JsonNumber::from(*found);
    if (codec.scale.number == 0) found->refuse("a number other than 0, because decoding divides by it");
  }
  return codec;
}

TESSERA_DECL Value ScaleOffset::configuration() const {
  return Members{{"offset", offset.given}, {"scale", scale.given}};
}

TESSERA_DECL ChunkSpecification ScaleOffset::encoded(ChunkSpecification chunk) const {
  if (!detail::holds_numbers(chunk.type))
    throw MetadataError{to_text({"found elements of ", chunk.type.name(), ", which this codec does not support"})};
  for (auto const* number : {&offset, &scale})
    if (detail::holds_integers(chunk.type) && !number->fits(chunk.type))
      throw MetadataError{to_text({"member configuration.", number == &scale ? "scale" : "offset", ": found ",
                                   describe(number->given), ", expected a value of type ", chunk.type.name()})};
  try {
    chunk.fill = detail::encoded_fill(*this, chunk, chunk.type);
  } catch (CodecError const&) {
    throw MetadataError{
        to_text({"the fill value, with scale and offset applied, is not a value of type ", chunk.type.name()})};
  }
  return chunk;
}

TESSERA_DECL detail::ScaleValues ScaleOffset::values(ChunkSpecification const& chunk, bool encodes) const {
  auto const whole = [](detail::JsonNumber const& number) -> detail::ScaleValues::Signed {
    return {number.is_negative ? ~number.integer + 1 : number.integer, number.is_negative};
  };
  return {chunk.type,
          encodes,
          detail::rounded_as(chunk.type, scale.number),
          detail::rounded_as(chunk.type, offset.number),
          whole(scale),
          whole(offset)};
}

TESSERA_DECL FixedScaleOffset FixedScaleOffset::from(ObjectReader& configuration) {
  FixedScaleOffset codec;
  codec.scale = detail::JsonNumber::from(configuration.at("scale"));
  codec.offset = detail::JsonNumber::from(configuration.at("offset"));
  codec.dtype = detail::find_number_type(configuration, "dtype");
  codec.astype = detail::find_number_type(configuration, "astype");
  return codec;
}

TESSERA_DECL Value FixedScaleOffset::configuration() const {
  Members members{{"scale", scale.given}, {"offset", offset.given}};
  if (dtype) members.push_back({"dtype", detail::write_numpy_type(*dtype)});
  if (astype) members.push_back({"astype", detail::write_numpy_type(*astype)});
  return members;
}

TESSERA_DECL FixedScaleOffset FixedScaleOffset::fitted(ChunkSpecification const& chunk) const {
  auto fitted = *this;
  if (!fitted.dtype) fitted.dtype = detail::NumpyType{chunk.type};
  return fitted;
}

TESSERA_DECL ChunkSpecification FixedScaleOffset::encoded(ChunkSpecification chunk) const {
  detail::expect_number_type("dtype", dtype, chunk.type);
  for (auto const* number : {&scale, &offset})  // NumPy has no such arithmetic
    if (detail::holds_integers(chunk.type) && number->is_integer && !number->fits(chunk.type))
      throw MetadataError{
          to_text({"member configuration.", number == &scale ? "scale" : "offset", ": found ", describe(number->given),
                   ", expected an integer of type ", chunk.type.name(), ", or a floating-point number, e.g. 1.0"})};
  chunk.fill = detail::encoded_fill(*this, chunk, encoded_type(chunk.type));
  chunk.type = encoded_type(chunk.type);
  return chunk;
}

TESSERA_DECL detail::UndoScaleOffset FixedScaleOffset::decoder(ChunkSpecification const& chunk) const {
  auto const type = encoded_type(chunk.type);
  return {type, chunk.type, detail::rounded_as(type, scale.number), detail::rounded_as(type, offset.number)};
}

TESSERA_DECL detail::ScaleAndRound FixedScaleOffset::encoder(ChunkSpecification const& chunk) const {
  bool const are_whole = detail::holds_integers(chunk.type) && offset.is_integer;
  return {chunk.type,
          encoded_type(chunk.type),
          detail::rounded_as(chunk.type, scale.number),
          detail::rounded_as(chunk.type, offset.number),
          scale.integer,
          offset.integer,
          are_whole && scale.is_integer,
          are_whole};
}

}}}  // namespace tessera::v0::codec
