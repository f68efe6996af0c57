// float16: half-precision numbers.
#pragma once
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Rounds to nearest, ties to even.
TESSERA_HOST_DEVICE constexpr std::uint16_t float16_of(double number) {
  auto const bits = __builtin_bit_cast(std::uint64_t, number);
  auto const sign = static_cast<std::uint32_t>(bits >> 48) & 0x8000u;
  auto const exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  auto const fraction = bits & (~std::uint64_t{0} >> 12);
  auto rounded = [&](std::uint64_t from, int shift) {
    auto const kept = from >> shift, rest = from - (kept << shift), half = std::uint64_t{1} << (shift - 1);
    return static_cast<std::uint32_t>(kept + (rest > half || (rest == half && kept % 2 == 1)));
  };
  std::uint32_t magnitude = 0;  // less than half of the smallest number
  if (exponent == 1024)
    magnitude = fraction == 0 ? 0x7c00u : 0x7e00u | static_cast<std::uint32_t>(fraction >> 42);
  else if (exponent > 15)
    magnitude = 0x7c00u;
  else if (exponent >= -14)  // a carry from rounding increments the exponent, up to infinity
    magnitude = (static_cast<std::uint32_t>(exponent + 15) << 10) + rounded(fraction, 42);
  else if (exponent >= -25)
    magnitude = rounded(fraction | std::uint64_t{1} << 52, 28 - exponent);
  return static_cast<std::uint16_t>(sign | magnitude);
}

// Rounds to odd: a number between two doubles becomes the one with an odd last digit. It is never halfway between two
// halves, so a second rounding gives the half nearest to the original number.
constexpr double odd_double_of(long double number) {
  auto const rounded = static_cast<double>(number);
  auto const exact = static_cast<long double>(rounded);
  if (exact == number || number != number) return rounded;
  bool const is_beyond = number < 0 ? exact < number : exact > number;
  return __builtin_bit_cast(double, (__builtin_bit_cast(std::uint64_t, rounded) - is_beyond) | 1u);
}

// A multiplication corrects the exponent: exact, also for subnormal numbers, and vectorisable, as it needs no branches.
TESSERA_HOST_DEVICE constexpr float float_of(std::uint16_t half) {
  std::uint32_t const sign = (half & 0x8000u) << 16, magnitude = (half & 0x7fffu) << 13;
  auto const number = __builtin_bit_cast(float, magnitude) * 0x1p112f;
  std::uint32_t const none_or_infinite = magnitude >= 31u << 23 ? 0x7f800000u : 0u;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, number) | none_or_infinite | sign);
}

}  // namespace detail

/// A half-precision number: "float16" in a document. Conversion from other numbers is explicit and rounds to nearest,
/// ties to even: `float16{0.5}`. Conversion to float is implicit and exact: `sum += x`, `x * 0.5`, `std::cout << x`;
/// `+x` is a float.
class float16 {
 public:
  float16() = default;
  template <class N>
  requires std::is_arithmetic_v<N>
  TESSERA_HOST_DEVICE explicit constexpr float16(N number) : bits_{detail::float16_of(static_cast<double>(number))} {}
  explicit constexpr float16(long double number) : bits_{detail::float16_of(detail::odd_double_of(number))} {}
  /// The number with these bits, of IEEE 754 binary16.
  TESSERA_HOST_DEVICE static constexpr float16 of_bits(std::uint16_t bits) {
    float16 number;
    number.bits_ = bits;
    return number;
  }

  constexpr std::uint16_t bits() const { return bits_; }  ///< of IEEE 754 binary16
  /// Exact.
  TESSERA_HOST_DEVICE constexpr operator float() const { return detail::float_of(bits_); }
  /// Converts as a float converts to N.
  template <class N>
  requires std::is_arithmetic_v<N>
  TESSERA_HOST_DEVICE explicit constexpr operator N() const { return static_cast<N>(detail::float_of(bits_)); }

  friend constexpr float operator+(float16 x) { return float(x); }
  friend constexpr float16 operator-(float16 x) { return of_bits(static_cast<std::uint16_t>(x.bits_ ^ 0x8000u)); }
  TESSERA_HOST_DEVICE friend constexpr bool operator==(float16 a, float16 b) { return float(a) == float(b); }
  friend constexpr std::partial_ordering operator<=>(float16 a, float16 b) { return float(a) <=> float(b); }

 private:
  std::uint16_t bits_ = 0;
};

template <>
struct element_traits<float16> {
  static constexpr DataType type{DataKind::floating, 2};
};

}}  // namespace tessera::v0

template <>
class std::numeric_limits<tessera::float16> : public std::numeric_limits<float> {
  using Number = tessera::float16;

 public:
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, min_exponent = -13, min_exponent10 = -4,
                       max_exponent = 16, max_exponent10 = 4;
  static constexpr Number min() noexcept { return Number::of_bits(0x0400); }
  static constexpr Number max() noexcept { return Number::of_bits(0x7bff); }
  static constexpr Number lowest() noexcept { return Number::of_bits(0xfbff); }
  static constexpr Number epsilon() noexcept { return Number::of_bits(0x1400); }
  static constexpr Number round_error() noexcept { return Number::of_bits(0x3800); }
  static constexpr Number infinity() noexcept { return Number::of_bits(0x7c00); }
  static constexpr Number quiet_NaN() noexcept { return Number::of_bits(0x7e00); }
  static constexpr Number signaling_NaN() noexcept { return Number::of_bits(0x7d00); }
  static constexpr Number denorm_min() noexcept { return Number::of_bits(0x0001); }
};
