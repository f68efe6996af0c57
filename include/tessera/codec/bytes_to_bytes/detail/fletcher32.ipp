#pragma once
#include <tessera/codec/bytes_to_bytes/fletcher32.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/checksum32.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

TESSERA_DECL std::uint32_t fletcher32_of(ByteView<space::Host> bytes) {
  std::uint32_t first = 0, second = 0;
  auto const fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  auto const byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes.data[i]); };
  constexpr std::size_t words = 360;  // no sum overflows before
  auto const even = bytes.size / 2 * 2;
  for (std::size_t at = 0; at < even;) {
    for (auto const end = std::min(even, at + 2 * words); at < end; at += 2)
      second += first += byte(at) << 8 | byte(at + 1);
    first = fold(first), second = fold(second);
  }
  if (even != bytes.size) {
    second += first += byte(even) << 8;
    first = fold(first), second = fold(second);
  }
  return fold(second) << 16 | fold(first);
}

}  // namespace detail

namespace codec {

TESSERA_DECL Fletcher32 Fletcher32::from(ObjectReader& configuration) { return {placed(configuration)}; }

}  // namespace codec

}}  // namespace tessera::v0
