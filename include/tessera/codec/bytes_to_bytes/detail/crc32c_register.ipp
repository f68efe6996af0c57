#pragma once
#include <tessera/codec/bytes_to_bytes/detail/crc32c_register.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/memory/detail/processor.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline std::uint64_t load_little_endian(std::byte const* from) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little)
    std::memcpy(&word, from, sizeof word);
  else
    for (std::size_t i = 8; i-- > 0;) word = word << 8 | std::to_integer<std::uint64_t>(from[i]);
  return word;
}

// The register after one byte and up to seven zeros.
inline constexpr auto crc32c_slices = [] {
  std::array<std::array<std::uint32_t, 256>, 8> slices{crc32c_table};
  for (std::size_t t = 1; t < 8; ++t)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      auto const crc = slices[t - 1][byte];
      slices[t][byte] = crc >> 8 ^ crc32c_table[crc & 0xff];
    }
  return slices;
}();

TESSERA_DECL std::uint32_t crc32c_portable(std::uint32_t crc, std::byte const* from, std::size_t size) {
  auto const& t = crc32c_slices;
  for (; size >= 8; from += 8, size -= 8) {
    auto const word = load_little_endian(from) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= t[7 - i][word >> (8 * i) & 0xff];
  }
  for (; size > 0; ++from, --size) crc = crc >> 8 ^ t[0][(crc ^ std::to_integer<std::uint32_t>(*from)) & 0xff];
  return crc;
}

// The processor's instruction, as assembly: it needs no option of the compiler.
struct Crc32cInstruction {
#if defined(__x86_64__) && defined(__GNUC__)
  static std::uint64_t eight_bytes(std::uint64_t crc, std::uint64_t word) {
    asm("crc32q %1, %0" : "+r"(crc) : "rm"(word));
    return crc;
  }
  static std::uint64_t byte(std::uint64_t crc, std::byte value) {
    asm("crc32b %1, %0" : "+r"(crc) : "rm"(value));
    return crc;
  }
#elif defined(__aarch64__) && !defined(__AARCH64EB__) && defined(__linux__)
  static std::uint64_t eight_bytes(std::uint64_t crc, std::uint64_t word) {
    asm(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    return crc;
  }
  static std::uint64_t byte(std::uint64_t crc, std::byte value) {
    asm(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(std::to_integer<std::uint32_t>(value)));
    return crc;
  }
#else
  static std::uint64_t eight_bytes(std::uint64_t crc, std::uint64_t) { return crc; }
  static std::uint64_t byte(std::uint64_t crc, std::byte) { return crc; }
#endif
};

// The instruction takes about three cycles, and another one can begin in each: three stripes of bytes have a register
// each. A register moves past a stripe by a table for each of its bytes.
inline constexpr std::size_t crc32c_stripe = 1024;  // bytes
inline constexpr auto crc32c_past_stripe = [] {
  std::array<std::array<std::uint32_t, 256>, 4> tables{};
  auto const zeros = crc32c_zeros(crc32c_stripe);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::uint32_t byte = 1; byte < 256; ++byte) {
      auto const others = byte & (byte - 1), lowest = byte ^ others;  // bits, whose products add up
      tables[k][byte] =
          others ? tables[k][others] ^ tables[k][lowest] : crc32c_product(byte << (8 * k), zeros);
    }
  return tables;
}();
inline std::uint64_t crc32c_move_past_stripe(std::uint64_t crc) {
  auto const& t = crc32c_past_stripe;
  return t[0][crc & 0xff] ^ t[1][crc >> 8 & 0xff] ^ t[2][crc >> 16 & 0xff] ^ t[3][crc >> 24 & 0xff];
}

TESSERA_DECL std::uint32_t crc32c_register(std::uint32_t crc, std::byte const* from, std::size_t size) {
  using By = Crc32cInstruction;
  if (!has_crc32c()) return crc32c_portable(crc, from, size);
  std::uint64_t first = crc;
  for (; size >= 3 * crc32c_stripe; from += 3 * crc32c_stripe, size -= 3 * crc32c_stripe) {
    std::uint64_t second = 0, third = 0;
    for (std::size_t i = 0; i < crc32c_stripe; i += 8) {
      first = By::eight_bytes(first, load_little_endian(from + i));
      second = By::eight_bytes(second, load_little_endian(from + crc32c_stripe + i));
      third = By::eight_bytes(third, load_little_endian(from + 2 * crc32c_stripe + i));
    }
    first = crc32c_move_past_stripe(crc32c_move_past_stripe(first) ^ second) ^ third;
  }
  for (; size >= 8; from += 8, size -= 8) first = By::eight_bytes(first, load_little_endian(from));
  for (; size > 0; ++from, --size) first = By::byte(first, *from);
  return static_cast<std::uint32_t>(first);
}

}}}  // namespace tessera::v0::detail
