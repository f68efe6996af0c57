// crc32c_product: the arithmetic of CRC-32C's register, on the host and in kernels.
#pragma once
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Registers are polynomials over GF(2), with x^0 as the highest bit; the product is modulo CRC-32C's. One zero byte
/// multiplies a register by x^8.
TESSERA_HOST_DEVICE constexpr std::uint32_t crc32c_product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (int i = 0; i < 32; ++i) {
    product ^= (a >> 31) * b;
    a <<= 1;
    b = b >> 1 ^ (b & 1) * 0x82f63b78u;
  }
  return product;
}

}}}  // namespace tessera::v0::detail
