// crc32c: bytes followed by their CRC-32C, little-endian (specification: codecs/crc32c; RFC 3720 B.4).
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// One byte at a time through the first table; the others let eight bytes go at once ("slicing").
inline constexpr auto crc32c_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    auto crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
    tables[0][byte] = crc;
  }
  auto const& first = tables[0];
  for (std::size_t byte = 0; byte < 256; ++byte) {
    auto crc = first[byte];
    for (std::size_t t = 1; t < 8; ++t) {
      crc = crc >> 8 ^ first[crc & 0xff];
      tables[t][byte] = crc;
    }
  }
  return tables;
}();

inline std::uint64_t load_little_endian(std::byte const* from) {
  std::uint64_t word = 0;
  for (std::size_t i = 8; i-- > 0;) word = word << 8 | std::to_integer<std::uint64_t>(from[i]);
  return word;
}

// `crc` is the register, inverted at both ends by the caller.
inline std::uint32_t crc32c_portable(std::uint32_t crc, std::byte const* from, std::size_t size) {
  auto const& t = crc32c_tables;
  for (; size >= 8; from += 8, size -= 8) {
    auto const word = load_little_endian(from) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= t[7 - i][word >> (8 * i) & 0xff];
  }
  for (; size > 0; ++from, --size) crc = crc >> 8 ^ t[0][(crc ^ std::to_integer<std::uint32_t>(*from)) & 0xff];
  return crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("sse4.2"))) inline std::uint32_t crc32c_sse42(std::uint32_t crc, std::byte const* from,
                                                                    std::size_t size) {
  std::uint64_t wide = crc;
  for (; size >= 8; from += 8, size -= 8) wide = __builtin_ia32_crc32di(wide, load_little_endian(from));
  return crc32c_portable(static_cast<std::uint32_t>(wide), from, size);
}
inline std::uint32_t crc32c_register(std::uint32_t crc, std::byte const* from, std::size_t size) {
  return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(crc, from, size) : crc32c_portable(crc, from, size);
}
#else
inline std::uint32_t crc32c_register(std::uint32_t crc, std::byte const* from, std::size_t size) {
  return crc32c_portable(crc, from, size);
}
#endif

}  // namespace detail

/// The CRC-32C of some bytes; `before` is the CRC of the bytes before them. Uses the processor's instruction, if there
/// is one.
inline std::uint32_t crc32c(ByteView<space::Host> bytes, std::uint32_t before = 0) {
  return ~detail::crc32c_register(~before, bytes.data, bytes.size);
}

namespace codec {

/// No configuration. The checksum covers the bytes at this place in the chain.
struct Crc32c {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "crc32c";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;
  static constexpr std::size_t checksum_size = 4;  ///< bytes
  static constexpr bool has_fixed_size = true;
  static constexpr bool checks_bytes = true;

  static Crc32c from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }

  /// The checksum whose bytes these are.
  static std::uint32_t stored(std::byte const* from) {
    std::uint32_t checksum = 0;
    for (std::size_t i = checksum_size; i-- > 0;) checksum = checksum << 8 | std::to_integer<std::uint32_t>(from[i]);
    return checksum;
  }

  /// Throws: CodecError, if so many bytes have no checksum, or more bytes before it than there is room for.
  static std::size_t decoded_size(std::size_t encoded, std::size_t room) {
    if (encoded < checksum_size)
      throw CodecError{"found " + std::to_string(encoded) + " bytes, expected at least a checksum of 4"};
    auto const size = encoded - checksum_size;
    if (size > room)
      throw CodecError{"found " + std::to_string(size) + " bytes before the checksum, expected " +
                       std::to_string(room)};
    return size;
  }
  /// Throws: CodecError, if the checksum of the bytes is not the one that is stored.
  static void expect(std::uint32_t found, std::uint32_t expected) {
    if (found != expected)
      throw CodecError{"the checksum of the bytes is " + std::to_string(found) + ", expected " +
                       std::to_string(expected) + " as stored"};
  }

  std::size_t encoded_bound(std::size_t decoded) const { return decoded + checksum_size; }

  std::size_t decoded_bound(ByteView<space::Host> from) const { return from.size; }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    auto const size = decoded_size(from.size, to.size);
    auto const expected = stored(from.data + size);
    expect(copy(from.sub(0, size), to), expected);
    return size;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    auto const checksum = copy(from, to);
    for (std::size_t i = 0; i < checksum_size; ++i)
      to.data[from.size + i] = static_cast<std::byte>(checksum >> (8 * i));
    return from.size + checksum_size;
  }

 private:
  // A tile at a time: the copy finds in the cache what the checksum has read.
  static std::uint32_t copy(ByteView<space::Host> from, ByteSpan<space::Host> to) {
    constexpr std::size_t tile = 16 << 10;
    std::uint32_t crc = 0;
    for (std::size_t at = 0; at < from.size; at += tile) {
      auto const part = from.sub(at, std::min(tile, from.size - at));
      crc = crc32c(part, crc);
      std::memcpy(to.data + at, part.data, part.size);
    }
    return crc;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
