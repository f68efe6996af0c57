// RoundBits: numbers with few non-zero bits.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Rounds to the nearest number with `keepbits` bits, ties to even: mantissa bits of a fraction, bits of an integer
/// from its highest one on.
struct RoundBits {
  static constexpr bool may_refuse = false;
  DataType type;  ///< of a component
  std::uint32_t keepbits;
  std::size_t from_size = type.size, to_size = from_size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* from, std::byte* to, std::size_t n) const {
    with_bits_of(type.size, [&](auto one) {
      using Bits = decltype(one);
      auto const* const in = reinterpret_cast<Bits const*>(from);
      auto* const out = reinterpret_cast<Bits*>(to);
      bool const is_whole = type.kind != DataKind::floating;
      std::uint32_t const fraction = type.size == 2 ? 10 : type.size == 4 ? 23 : 52;
      for (std::size_t i = 0; i < n; ++i) {
        auto const bits = is_whole ? width(in[i]) : fraction;
        out[i] = bits > keepbits ? rounded(in[i], bits - keepbits, is_whole) : in[i];
      }
    });
    return n;
  }

 private:
  template <class Bits>
  TESSERA_HOST_DEVICE static std::uint32_t width(Bits bits) {
    std::uint32_t width = 0;
    for (std::uint64_t left = bits; left != 0; left >>= 1) ++width;
    return width;
  }
  // Clears the last bits. A fraction's carry moves into its exponent, up to infinity; an integer saturates.
  template <class Bits>
  TESSERA_HOST_DEVICE static Bits rounded(Bits number, std::uint32_t dropped, bool saturates) {
    constexpr auto all = static_cast<Bits>(~Bits{0});
    auto const half = static_cast<Bits>(static_cast<Bits>((Bits{1} << (dropped - 1)) - 1) +
                                        static_cast<Bits>(dropped < 8 * sizeof(Bits) ? number >> dropped & 1 : 0));
    auto const sum = saturates && number > static_cast<Bits>(all - half) ? all : static_cast<Bits>(number + half);
    return dropped < 8 * sizeof(Bits) ? static_cast<Bits>(sum >> dropped << dropped) : Bits{0};
  }
};

}  // namespace detail
}}  // namespace tessera::v0
