// Numbers of one type as those of another, one by one.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <support/random.hpp>
#include <tessera/core/float16.hpp>

namespace test {

/// The expected result for a number: nothing, if it does not fit.
template <class To, class From>
std::optional<To> expected_as(From from, double scale, double offset, bool to_array) {
  using tessera::float16;
  bool const is_same = scale == 1 && offset == 0;
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>)
    if (is_same) return std::in_range<To>(from) ? std::optional<To>{static_cast<To>(from)} : std::nullopt;
  auto number = static_cast<double>(from);
  bool const is_finite = std::isfinite(number);
  if (!is_same) number = to_array ? (number - offset) / scale : number * scale + offset;
  if constexpr (std::is_integral_v<To>) {
    auto const whole = std::nearbyint(number);
    auto const beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
    auto const lowest = std::is_signed_v<To> ? -beyond : 0.0;
    return whole >= lowest && whole < beyond ? std::optional<To>{static_cast<To>(whole)} : std::nullopt;
  } else if constexpr (std::is_integral_v<From> && !std::is_same_v<To, float16>) {
    return is_same ? static_cast<To>(from) : static_cast<To>(number);
  } else {
    auto const to = static_cast<To>(number);
    return !std::isfinite(double(to)) && is_finite ? std::nullopt : std::optional<To>{to};
  }
}

/// The expected saturated result for one that does not fit.
template <class To, class From>
To nearest_as(From from, double scale, double offset) {
  auto const number = static_cast<double>(from) * scale + offset;
  if (std::isnan(number)) return To{};
  return number > 0 ? std::numeric_limits<To>::max() : std::numeric_limits<To>::lowest();
}

/// Of all magnitudes; fractions are rarely infinite or NaN.
template <class T>
T random_number(Random& random) {
  using tessera::float16;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random(0, 0xffff) << (random(0, 3) * 16));
  } else {
    if (random.one_in(40)) return std::numeric_limits<T>::infinity();
    if (random.one_in(40)) return std::numeric_limits<T>::quiet_NaN();
    if constexpr (std::is_same_v<T, float16>) return float16{static_cast<int>(random(0, 4000)) - 2000};
    auto const number = (static_cast<double>(random(0, 1000000)) - 500000) / 8;
    return static_cast<T>(random.one_in(9) ? number * 1e33 : number);
  }
}

/// Numbers that fit and some that do not, so that both outcomes occur.
template <class To, class T>
T random_fitting(Random& random, double scale, double offset, bool to_array, bool all_fit) {
  for (int i = 0; i < 30; ++i) {
    auto const number = random_number<T>(random);
    if (!all_fit || expected_as<To>(number, scale, offset, to_array)) return number;
  }
  return static_cast<T>(5);
}

template <class A>
bool is_equal(A a, A b) {
  return a == b || (a != a && b != b);
}

}  // namespace test
