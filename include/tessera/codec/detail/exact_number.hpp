// ExactNumber: numbers rounded exactly, with integers, so that every processor gets the same result.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 { namespace detail {

enum class Rounding : std::uint8_t { nearest_even, towards_zero, towards_positive, towards_negative, nearest_away };

/// magnitude * 2^exponent, if finite.
struct ExactNumber {
  std::uint64_t magnitude = 0;
  int exponent = 0;
  bool is_negative = false, is_finite = true;

  TESSERA_HOST_DEVICE static ExactNumber of(double number) {
    auto const bits = __builtin_bit_cast(std::uint64_t, number);
    auto const fraction = bits & (~std::uint64_t{0} >> 12);
    auto const power = static_cast<int>(bits >> 52 & 0x7ff);
    bool const is_negative = bits >> 63 != 0;
    if (power == 0x7ff) return {0, 0, is_negative, false};
    if (power == 0) return {fraction, -1074, is_negative};
    return {fraction | std::uint64_t{1} << 52, power - 1075, is_negative};
  }
  TESSERA_HOST_DEVICE static ExactNumber of(std::uint64_t integer, bool is_signed) {
    bool const is_negative = is_signed && integer >> 63 != 0;
    return {is_negative ? ~integer + 1 : integer, 0, is_negative};
  }

  /// Rounded to a multiple of 2^least.
  TESSERA_HOST_DEVICE ExactNumber rounded(int least, Rounding rounding) const {
    if (exponent >= least) return *this;
    auto const dropped = least - exponent;
    auto const kept = dropped < 64 ? magnitude >> dropped : 0;
    auto const rest = dropped < 64 ? magnitude - (kept << dropped) : magnitude;
    auto const half = dropped <= 64 ? std::uint64_t{1} << (dropped - 1) : 0;  // 0: more than any rest
    bool const is_half = half != 0 && rest == half, is_more = half != 0 && rest > half;
    bool up = false;
    switch (rounding) {
      case Rounding::nearest_even:
        up = is_more || (is_half && kept % 2 == 1);
        break;
      case Rounding::nearest_away:
        up = is_more || is_half;
        break;
      case Rounding::towards_positive:
        up = rest != 0 && !is_negative;
        break;
      case Rounding::towards_negative:
        up = rest != 0 && is_negative;
        break;
      case Rounding::towards_zero:
        break;
    }
    return {kept + up, least, is_negative};
  }

  /// The place of the highest bit. Requires: the magnitude is not 0.
  TESSERA_HOST_DEVICE int first_bit() const {
    int width = 0;
    for (int step = 32; step > 0; step /= 2)
      if (magnitude >> width >> step != 0) width += step;
    return exponent + width;
  }

  /// Requires: a double can hold it.
  TESSERA_HOST_DEVICE double number() const {
    auto const power = [](int of) { return __builtin_bit_cast(double, static_cast<std::uint64_t>(of + 1023) << 52); };
    auto const size = static_cast<double>(magnitude) * power(exponent / 2) * power(exponent - exponent / 2);
    return is_negative ? -size : size;
  }
};

/// The format of floating-point numbers of a size.
struct FractionForm {
  int digits, least, most;  ///< bits; exponents of the last bit of the smallest, and of the first bit of the largest

  TESSERA_HOST_DEVICE static FractionForm of(std::size_t size) {
    return size == 2   ? FractionForm{11, -24, 15}
           : size == 4 ? FractionForm{24, -149, 127}
                       : FractionForm{53, -1074, 1023};
  }
};

}}}  // namespace tessera::v0::detail
