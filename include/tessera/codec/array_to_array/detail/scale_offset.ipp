#pragma once
#include <tessera/codec/array_to_array/scale_offset.hpp>

#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/json_number.hpp>
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

}}}  // namespace tessera::v0::codec
