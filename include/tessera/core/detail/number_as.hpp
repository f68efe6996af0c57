// number_as: converts a number to another type, and checks whether it fits.
#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class T>
inline constexpr bool is_fraction = std::is_floating_point_v<T> || std::same_as<T, float16>;

// Variables, because nvcc calls no function of std:: on the device.
template <std::integral T>
inline constexpr T least_of = std::numeric_limits<T>::lowest();
template <std::integral T>
inline constexpr T most_of = std::numeric_limits<T>::max();
template <class T>
inline constexpr double largest_of = static_cast<double>(std::numeric_limits<T>::max());
template <std::integral T>
inline constexpr int digits_of = std::numeric_limits<T>::digits;

// Bounds of an integer type as doubles: [lowest, beyond).
template <std::integral T>
inline constexpr double lowest_of = static_cast<double>(std::numeric_limits<T>::lowest());
template <std::integral T>
inline constexpr double beyond_of = 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));

// The least number that rounds to infinity: the largest T plus half of its last digit.
template <class T>
inline constexpr double rounded_to_infinity = [] {
  using Limits = std::numeric_limits<T>;
  double half = 1;
  for (int i = 0; i < Limits::max_exponent - Limits::digits - 1; ++i) half *= 2;
  return static_cast<double>(Limits::max()) + half;
}();
inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
template <>
inline constexpr double rounded_to_infinity<double> = std::numeric_limits<double>::infinity();

// To the nearest integer, as the processor rounds sums. From 2^52 on every double is an integer.
TESSERA_HOST_DEVICE inline double rounded(double number) {
  constexpr double large = 0x1p52;
  if (number >= 0) return number < large ? (number + large) - large : number;
  return number > -large ? (number - large) + large : number;
}

template <class To, std::integral From>
TESSERA_HOST_DEVICE constexpr bool is_below_all(From from) {
  if constexpr (std::is_unsigned_v<From>)
    return false;
  else if constexpr (std::is_unsigned_v<To>)
    return from < 0;
  else if constexpr (sizeof(To) >= sizeof(From))
    return false;
  else
    return from < static_cast<From>(least_of<To>);
}
template <class To, std::integral From>
TESSERA_HOST_DEVICE constexpr bool is_above_all(From from) {
  if constexpr (digits_of<To> >= digits_of<From>)
    return false;
  else
    return from > static_cast<From>(most_of<To>);
}

// The number as a To. Clears `fits` if it does not fit: then the result is the nearest To.
template <class To, class From>
TESSERA_HOST_DEVICE To number_as(From from, bool& fits) {
  if constexpr (std::same_as<To, From>) {
    return from;
  } else if constexpr (std::same_as<From, float16>) {
    return number_as<To>(static_cast<float>(from), fits);
  } else if constexpr (is_fraction<To> && std::integral<From> && !std::same_as<To, float16>) {
    return static_cast<To>(from);
  } else if constexpr (std::same_as<To, double>) {
    return from;
  } else if constexpr (is_fraction<To>) {
    auto const given = static_cast<double>(from);
    auto const size = given < 0 ? -given : given;
    bool const is_far = (size >= rounded_to_infinity<To>)&(size <= largest_of<double>);
    fits &= !is_far;
    auto const near = given < 0 ? -largest_of<To> : largest_of<To>;
    return static_cast<To>(is_far ? near : given);
  } else if constexpr (std::integral<From>) {
    constexpr To most = most_of<To>, least = least_of<To>;
    bool const is_below = is_below_all<To>(from), is_above = is_above_all<To>(from);
    fits &= !(is_below | is_above);
    return is_below ? least : is_above ? most : static_cast<To>(from);
  } else {
    constexpr To most = most_of<To>, least = least_of<To>;
    constexpr double lowest = lowest_of<To>, beyond = beyond_of<To>;
    auto const whole = rounded(static_cast<double>(from));
    bool const is_below = whole < lowest, is_beyond = whole >= beyond, is_none = whole != whole;
    fits &= !(is_below | is_beyond | is_none);
    if constexpr (sizeof(To) < 8) {  // both bounds are doubles: no branches, so that the compiler vectorises
      auto const near = is_below ? lowest : is_beyond ? beyond - 1 : is_none ? 0 : whole;
      return static_cast<To>(static_cast<std::conditional_t<(sizeof(To) < 4), std::int32_t, std::int64_t>>(near));
    } else {
      return is_below ? least : is_beyond ? most : is_none ? To{} : static_cast<To>(whole);
    }
  }
}

// A number computed from `given`, as a To. If `given` was finite, a result that is not finite does not fit.
template <class To>
TESSERA_HOST_DEVICE To worked_out_as(double number, double given, bool& fits) {
  if constexpr (is_fraction<To>) {  // without branches
    constexpr auto most = largest_of<To>;
    auto const size = number < 0 ? -number : number;
    bool const is_lost = !(size < rounded_to_infinity<To>)&(given - given == 0);
    fits &= !is_lost;
    auto const near = number > 0 ? most : number < 0 ? -most : 0;
    return static_cast<To>(is_lost ? near : number);
  } else {
    return number_as<To>(number, fits);
  }
}

// The number as a To. Requires: it fits.
template <class To, class From>
TESSERA_HOST_DEVICE To fitting_as(From from) {
  if constexpr (std::integral<To> && !std::integral<From>) {
    auto const number = static_cast<double>(from);
    if constexpr (sizeof(To) < 8) {  // without branches
      constexpr double large = 0x1.8p52;
      using Whole = std::conditional_t<(sizeof(To) < 4), std::int32_t,
                                       std::conditional_t<std::is_signed_v<To>, To, std::int64_t>>;
      return static_cast<To>(static_cast<Whole>((number + large) - large));
    } else {
      return static_cast<To>(rounded(number));
    }
  } else {
    return static_cast<To>(from);
  }
}

}}}  // namespace tessera::v0::detail
