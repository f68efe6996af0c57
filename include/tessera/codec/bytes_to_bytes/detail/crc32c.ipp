#pragma once
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace tessera { inline namespace v0 {

namespace codec {

TESSERA_DECL std::uint32_t Crc32c::stored(std::byte const* from) {
  std::uint32_t checksum = 0;
  for (std::size_t i = checksum_size; i-- > 0;) checksum = checksum << 8 | std::to_integer<std::uint32_t>(from[i]);
  return checksum;
}

TESSERA_DECL std::size_t Crc32c::decoded_size(std::size_t encoded, std::size_t room) {
  if (encoded < checksum_size)
    throw CodecError{"found " + std::to_string(encoded) + " bytes, expected at least a checksum of 4"};
  auto const size = encoded - checksum_size;
  if (size > room)
    throw CodecError{"found " + std::to_string(size) + " bytes before the checksum, expected " + std::to_string(room)};
  return size;
}

TESSERA_DECL void Crc32c::expect(std::uint32_t found, std::uint32_t expected) {
  if (found != expected)
    throw CodecError{"the checksum of the bytes is " + std::to_string(found) + ", expected " +
                     std::to_string(expected) + " as stored"};
}

TESSERA_DECL std::size_t Crc32c::decode(ByteView<space::Host> from, ByteSpan<space::Host> to,
                                        Queue<space::Host>&) const {
  auto const size = decoded_size(from.size, to.size);
  auto const expected = stored(from.data + size);
  expect(copy(from.sub(0, size), to), expected);
  return size;
}

TESSERA_DECL std::size_t Crc32c::encode(ByteView<space::Host> from, ByteSpan<space::Host> to,
                                        Queue<space::Host>&) const {
  auto const checksum = copy(from, to);
  for (std::size_t i = 0; i < checksum_size; ++i) to.data[from.size + i] = static_cast<std::byte>(checksum >> (8 * i));
  return from.size + checksum_size;
}

TESSERA_DECL std::uint32_t Crc32c::copy(ByteView<space::Host> from, ByteSpan<space::Host> to) {
  constexpr std::size_t tile = 15 << 10;
  std::uint32_t crc = 0;
  for (std::size_t at = 0; at < from.size; at += tile) {
    auto const part = from.sub(at, std::min(tile, from.size - at));
    crc = crc32c(part, crc);
    if (to.data + at != part.data) std::memcpy(to.data + at, part.data, part.size);  // else it is decoded in place
  }
  return crc;
}

}  // namespace codec

}}  // namespace tessera::v0
