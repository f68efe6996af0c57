// crc32c_register: CRC-32C of bytes, by the processor's instruction or by tables.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/crc32c_product.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The register after one byte.
inline constexpr auto crc32c_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    auto crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
    table[byte] = crc;
  }
  return table;
}();

/// The effect of `n` zero bytes on 1.
constexpr std::uint32_t crc32c_zeros(std::uint64_t n) {
  std::uint32_t power = std::uint32_t{1} << 31, square = std::uint32_t{1} << 23;
  for (; n != 0; n >>= 1, square = crc32c_product(square, square))
    if (n & 1) power = crc32c_product(power, square);
  return power;
}

/// `crc`: the register, which the caller inverts before and after.
TESSERA_DECL std::uint32_t crc32c_register(std::uint32_t crc, std::byte const* from, std::size_t size);

/// The same by tables, eight bytes at a time ("slicing").
TESSERA_DECL std::uint32_t crc32c_portable(std::uint32_t crc, std::byte const* from, std::size_t size);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/crc32c_register.ipp>
#endif
