#pragma once
#include <tessera/codec/bytes_to_bytes/detail/rolling_crc32c.hpp>

#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/crc32c_register.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL RollingCrc32c::RollingCrc32c(std::byte const* from, std::size_t window) {
  auto const past_window = crc32c_zeros(window);
  inverted_ = crc32c_product(~std::uint32_t{0}, past_window);
  for (std::size_t byte = 0; byte < 256; ++byte) leaving_[byte] = crc32c_product(crc32c_table[byte], past_window);
  register_ = crc32c_register(0, from, window);
}

TESSERA_DECL void RollingCrc32c::move(std::byte leaving, std::byte coming) {
  auto const low = (register_ ^ std::to_integer<std::uint32_t>(coming)) & 0xff;
  register_ = register_ >> 8 ^ crc32c_table[low] ^ leaving_[std::to_integer<std::size_t>(leaving)];
}

}}}  // namespace tessera::v0::detail
