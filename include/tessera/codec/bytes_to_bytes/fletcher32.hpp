// numcodecs' fletcher32: bytes followed by the Fletcher-32 that HDF5 computes of them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/bytes_to_bytes/checksum32.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Of big-endian words of 16 bits; an odd byte at the end is the high half of one.
inline std::uint32_t fletcher32_of(ByteView<space::Host> bytes) {
  std::uint32_t first = 0, second = 0;
  auto const fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  auto const byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes.data[i]); };
  constexpr std::size_t words = 360;  // after as many no sum has overflowed
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

/// No configuration, or `location` of the checksum, "end" where it is not there.
struct Fletcher32 : detail::Checksum32<Fletcher32, detail::ChecksumPlace::end> {
  static constexpr std::string_view name = "numcodecs.fletcher32";
  static Fletcher32 from(ObjectReader& configuration) { return {placed(configuration)}; }
  std::uint32_t checksum(ByteView<space::Host> bytes) const { return detail::fletcher32_of(bytes); }
};

}  // namespace codec
}}  // namespace tessera::v0
