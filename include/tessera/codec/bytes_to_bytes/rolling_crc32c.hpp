// The CRC-32C of every window of one length in some bytes, at the cost of one pass over them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/crc32c.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Moves on a byte at a time. A checksum is linear: what the byte that leaves has added to it is in a table.
class RollingCrc32c {
 public:
  /// The first `window` bytes.
  RollingCrc32c(std::byte const* from, std::size_t window) {
    auto const past_window = power_of_x8(window);
    inverted_ = product(~std::uint32_t{0}, past_window);
    for (std::size_t byte = 0; byte < 256; ++byte) leaving_[byte] = product(crc32c_tables[0][byte], past_window);
    register_ = crc32c_register(0, from, window);
  }

  void move(std::byte leaving, std::byte coming) {
    auto const low = (register_ ^ std::to_integer<std::uint32_t>(coming)) & 0xff;
    register_ = register_ >> 8 ^ crc32c_tables[0][low] ^ leaving_[std::to_integer<std::size_t>(leaving)];
  }

  /// As crc32c() says of the window.
  std::uint32_t value() const { return ~(register_ ^ inverted_); }

 private:
  // Polynomials over two elements, modulo CRC-32C's, the highest bit the coefficient of 1.
  static constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
    std::uint32_t sum = 0;
    for (; a != 0; a <<= 1, b = b >> 1 ^ (b & 1 ? crc32c_tables[0][0x80] : 0u))
      if (a >> 31) sum ^= b;
    return sum;
  }
  // What `n` bytes of zeros make of 1.
  static constexpr std::uint32_t power_of_x8(std::uint64_t n) {
    std::uint32_t power = std::uint32_t{1} << 31, square = std::uint32_t{1} << 23;
    for (; n != 0; n >>= 1, square = product(square, square))
      if (n & 1) power = product(power, square);
    return power;
  }

  std::array<std::uint32_t, 256> leaving_;
  std::uint32_t inverted_, register_;  // what the window makes of ones, and of zeros
};

}}}  // namespace tessera::v0::detail
