// RollingCrc32c: the CRC-32C of every window of one length, in one pass over the bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/crc32c.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Moves by one byte at a time. A checksum is linear: a table has the leaving byte's contribution.
class RollingCrc32c {
 public:
  /// The first `window` bytes.
  RollingCrc32c(std::byte const* from, std::size_t window);
  void move(std::byte leaving, std::byte coming);

  /// Equals crc32c() of the window.
  std::uint32_t value() const { return ~(register_ ^ inverted_); }

 private:
  // Product of polynomials over GF(2), modulo CRC-32C's; the highest bit is the coefficient of 1.
  static constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
    std::uint32_t sum = 0;
    for (; a != 0; a <<= 1, b = b >> 1 ^ (b & 1 ? crc32c_tables[0][0x80] : 0u))
      if (a >> 31) sum ^= b;
    return sum;
  }
  // The effect of `n` zero bytes on 1.
  static constexpr std::uint32_t power_of_x8(std::uint64_t n) {
    std::uint32_t power = std::uint32_t{1} << 31, square = std::uint32_t{1} << 23;
    for (; n != 0; n >>= 1, square = product(square, square))
      if (n & 1) power = product(power, square);
    return power;
  }

  std::array<std::uint32_t, 256> leaving_;
  std::uint32_t inverted_, register_;  // the window's effect on ones, and on zeros
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/rolling_crc32c.ipp>
#endif
