// RollingCrc32c: the CRC-32C of every window of one length, in one pass over the bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>

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
  std::array<std::uint32_t, 256> leaving_;
  std::uint32_t inverted_, register_;  // the window's effect on ones, and on zeros
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/rolling_crc32c.ipp>
#endif
