#pragma once
#include <tessera/codec/bytes_to_bytes/jenkins_lookup3.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera { inline namespace v0 {

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
