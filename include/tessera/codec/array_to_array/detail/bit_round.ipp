#pragma once
#include <tessera/codec/array_to_array/bit_round.hpp>

#include <cstdint>

#include <tessera/codec/detail/elementwise.hpp>
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

}}}  // namespace tessera::v0::codec
