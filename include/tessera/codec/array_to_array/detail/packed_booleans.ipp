#pragma once
#include <tessera/codec/array_to_array/packed_booleans.hpp>

#include <cstddef>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL ChunkSpecification PackedBooleans::encoded(ChunkSpecification chunk) const {
  if (chunk.type.kind != DataKind::boolean)
    throw MetadataError{to_text({"found elements of ", chunk.type.name(), ", expected bool"})};
  auto const bits = bits_of(chunk);
  chunk.shape = Extents{};
  chunk.shape.push_back(bits.size());
  chunk.type = {DataKind::unsigned_integer, 1};
  chunk.fill.assign(1, std::byte{});
  return chunk;
}

TESSERA_DECL std::size_t PackedBooleans::decode(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                                ByteSpan<space::Host> to, Queue<space::Host>&) const {
  auto const bits = bits_of(chunk);
  expect_sizes(bits, from.size, to.size);
  if (from.data[0] != bits.unused())
    throw CodecError{to_text({"the first byte declares ", std::to_integer<int>(from.data[0]),
                              " bits of padding, expected ", std::to_integer<int>(bits.unused())})};
  for (std::size_t i = 0; i < bits.count; ++i) to.data[i] = bits.boolean_at(from.data, i);
  return bits.count;
}

TESSERA_DECL std::size_t PackedBooleans::decode_part(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                                     ByteSpan<space::Host> to, ChunkPart part,
                                                     Queue<space::Host>& on) const {
  if (from.size == bits_of(chunk).size()) return decode(chunk, from, to, on);  // no part has as many
  auto const first = part.first % 8;
  if (auto const expected = (first + part.size + 7) / 8; from.size != expected || to.size < part.size)
    throw CodecError{to_text({"found ", from.size, " bytes of packed booleans, expected ", expected})};
  for (std::size_t i = 0; i < part.size; ++i) to.data[i] = detail::BooleanBits::boolean_in(from.data, first + i);
  return part.size;
}

TESSERA_DECL std::size_t PackedBooleans::encode(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                                ByteSpan<space::Host> to, Queue<space::Host>&) const {
  auto const bits = bits_of(chunk);
  expect_sizes(bits, to.size, from.size);
  for (std::size_t i = 0; i < bits.size(); ++i) to.data[i] = bits.byte_at(from.data, i);
  return bits.size();
}

TESSERA_DECL detail::BooleanBits PackedBooleans::bits_of(ChunkSpecification const& chunk) const {
  return {chunk.size_in_bytes()};
}

TESSERA_DECL void PackedBooleans::expect_sizes(detail::BooleanBits const& bits, std::size_t packed,
                                               std::size_t unpacked) {
  if (packed < bits.size() || unpacked < bits.count)
    throw CodecError{to_text({"found ", packed, " bytes of packed booleans, expected ", bits.size()})};
}

}}}  // namespace tessera::v0::codec
