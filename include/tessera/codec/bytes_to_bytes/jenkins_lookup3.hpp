// numcodecs' jenkins_lookup3: bytes followed by the lookup3 hash that HDF5 computes of them (Bob Jenkins, lookup3.c,
// hashlittle, public domain).
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/bytes_to_bytes/checksum32.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline std::uint32_t lookup3(ByteView<space::Host> bytes, std::uint32_t seed) {
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

/// Configuration: `initval`, what the hash begins with, 0 if it is not there. `prefix`, bytes that are hashed and not
/// stored, is null: no document has words for others.
struct JenkinsLookup3 : detail::Checksum32<JenkinsLookup3, detail::ChecksumPlace::end> {
  static constexpr std::string_view name = "numcodecs.jenkins_lookup3";

  std::uint32_t initval = 0;

  static JenkinsLookup3 from(ObjectReader& configuration) {
    JenkinsLookup3 codec;
    if (auto const found = configuration.find("initval")) codec.initval = found->integer<std::uint32_t>();
    if (auto const found = configuration.find("prefix"); found && !found->value().is_null()) found->refuse("null");
    return codec;
  }
  Value configuration() const { return Members{{"initval", Value::integer(initval)}, {"prefix", Value{}}}; }

  std::uint32_t checksum(ByteView<space::Host> bytes) const { return detail::lookup3(bytes, initval); }
};

}  // namespace codec
}}  // namespace tessera::v0
