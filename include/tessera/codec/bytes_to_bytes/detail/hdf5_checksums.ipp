#pragma once
#include <tessera/codec/bytes_to_bytes/hdf5_checksums.hpp>

#include <algorithm>
#include <bit>
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

namespace detail {

TESSERA_DECL std::uint32_t lookup3(ByteView<space::Host> bytes, std::uint32_t seed) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size) + seed, b = a, c = a;
  if (bytes.size == 0) return c;
  auto const step = [](std::uint32_t& x, std::uint32_t y, std::uint32_t& z, int bits) {
    x = (x - z) ^ std::rotl(z, bits);
    z += y;
  };
  for (std::size_t at = 0;; at += 12) {
    std::uint32_t words[3]{};
    auto const n = std::min<std::size_t>(bytes.size - at, 12);
    for (std::size_t i = 0; i < n; ++i)
      words[i / 4] |= std::to_integer<std::uint32_t>(bytes.data[at + i]) << 8 * (i % 4);
    a += words[0], b += words[1], c += words[2];
    if (bytes.size - at <= 12) break;
    step(a, b, c, 4), step(b, c, a, 6), step(c, a, b, 8), step(a, b, c, 16), step(b, c, a, 19), step(c, a, b, 4);
  }
  auto const last = [](std::uint32_t& x, std::uint32_t y, int bits) { x = (x ^ y) - std::rotl(y, bits); };
  last(c, b, 14), last(a, c, 11), last(b, a, 25), last(c, b, 16), last(a, c, 4), last(b, a, 14), last(c, b, 24);
  return c;
}

}  // namespace detail

namespace codec {

TESSERA_DECL JenkinsLookup3 JenkinsLookup3::from(ObjectReader& configuration) {
  JenkinsLookup3 codec;
  if (auto const found = configuration.find("initval")) codec.initval = found->integer<std::uint32_t>();
  if (auto const found = configuration.find("prefix"); found && !found->value().is_null()) found->refuse("null");
  return codec;
}

TESSERA_DECL Value JenkinsLookup3::configuration() const {
  return Members{{"initval", Value::integer(initval)}, {"prefix", Value{}}};
}

}  // namespace codec
}}  // namespace tessera::v0
