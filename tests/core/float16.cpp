// float16 compared with arithmetic of doubles, for all of its 65536 values.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <tessera/core/float16.hpp>

using namespace tessera;

namespace {

// The value of the bits by IEEE 754.
double meaning(std::uint32_t bits) {
  auto const exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  double number = 0;
  if (exponent == 31)
    number = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else
    number = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return std::copysign(number, bits >> 15 ? -1.0 : 1.0);
}

template <class N>
std::uint32_t bits_of(N number) {
  return float16{number}.bits();
}

}  // namespace

TEST_CASE("all 65536 of them as float and double, and back") {
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    auto const half = float16::of_bits(static_cast<std::uint16_t>(bits));
    auto const expected = meaning(bits);
    if (std::isnan(expected)) {
      wrong += !std::isnan(float(half)) || !std::isnan(double(half)) || std::signbit(float(half)) != (bits >> 15 != 0);
      wrong += bits_of(float(half)) != (bits | 0x200u) || half == half;
    } else {
      wrong += double(float(half)) != expected || double(half) != expected;
      wrong += std::signbit(float(half)) != std::signbit(expected);
      wrong += bits_of(float(half)) != bits || bits_of(double(half)) != bits || !(half == half);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("between any two neighbours: the nearer one, and of a tie the even one, from float and from double") {
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits)
    for (double const sign : {1.0, -1.0}) {
      auto const minus = sign < 0 ? 0x8000u : 0u;
      // The next number after the largest would be 65536: numbers nearer to that round to infinity.
      auto const low = meaning(bits), high = bits == 0x7bff ? 65536.0 : meaning(bits + 1), middle = (low + high) / 2;
      auto const even = bits % 2 == 0 ? bits : bits + 1;
      auto const below = std::nextafter(middle, 0.0), above = std::nextafter(middle, 1e6);
      wrong += bits_of(sign * middle) != (minus | even);
      wrong += bits_of(sign * below) != (minus | bits);
      wrong += bits_of(sign * above) != (minus | (bits + 1));
      auto const m = static_cast<float>(middle);  // exact
      wrong += bits_of(static_cast<float>(sign) * m) != (minus | even);
      wrong += bits_of(static_cast<float>(sign) * std::nextafter(m, 0.0f)) != (minus | bits);
      wrong += bits_of(static_cast<float>(sign) * std::nextafter(m, 1e6f)) != (minus | (bits + 1));
    }
  CHECK(wrong == 0);
}

TEST_CASE("a long double is rounded once: what lies by less than a double tells beside the middle is no middle") {
  static_assert(std::numeric_limits<long double>::digits > 53);
  for (long double const sign : {1.0L, -1.0L})
    for (std::uint32_t const bits : {0x0000u, 0x0001u, 0x03ffu, 0x3c00u, 0x3c01u, 0x7bfeu}) {
      CAPTURE(bits);
      auto const minus = sign < 0 ? 0x8000u : 0u;
      auto const middle = (static_cast<long double>(meaning(bits)) + meaning(bits + 1)) / 2;
      auto const even = bits % 2 == 0 ? bits : bits + 1;
      CHECK(float16{sign * middle}.bits() == (minus | even));
      CHECK(float16{sign * std::nextafter(middle, 0.0L)}.bits() == (minus | bits));
      CHECK(float16{sign * std::nextafter(middle, 1e6L)}.bits() == (minus | (bits + 1)));
    }
  CHECK(float16{65519.99999999999999L}.bits() == 0x7bff);
  CHECK(float16{65520.0L}.bits() == 0x7c00);
  CHECK(float16{-1e4000L}.bits() == 0xfc00);
  CHECK(float16{-1e-4000L}.bits() == 0x8000);
  CHECK(float16{std::numeric_limits<long double>::infinity()}.bits() == 0x7c00);
  CHECK(std::isnan(float(float16{std::numeric_limits<long double>::quiet_NaN()})));
  static_assert(float16{1.5L}.bits() == 0x3e00);
}

TEST_CASE("numbers that are far too large or too small, integers, and what is known when it is compiled") {
  auto const infinity = std::numeric_limits<double>::infinity();
  CHECK(bits_of(infinity) == 0x7c00);
  CHECK(bits_of(-infinity) == 0xfc00);
  CHECK(bits_of(1e300) == 0x7c00);
  CHECK(bits_of(-1e300) == 0xfc00);
  CHECK(bits_of(1e-300) == 0);
  CHECK(bits_of(-1e-300) == 0x8000);
  CHECK(bits_of(std::numeric_limits<double>::denorm_min()) == 0);
  CHECK(bits_of(0x1p-25) == 0);
  CHECK(bits_of(std::nextafter(0x1p-25, 1.0)) == 1);
  CHECK(int(float16{-7}) == -7);
  CHECK(bits_of(65504) == 0x7bff);
  CHECK(bits_of(std::numeric_limits<std::int64_t>::max()) == 0x7c00);
  static_assert(float16{1.5}.bits() == 0x3e00 && float(float16::of_bits(0xc000)) == -2 && -float16{2} == float16{-2});
  static_assert(float16{1} < float16{2} && float16{-1} < float16{0} && +float16{3} == 3.0f);
  static_assert(double(std::numeric_limits<float16>::max()) == 65504 &&
                double(std::numeric_limits<float16>::lowest()) == -65504);
  static_assert(data_type_of<float16>() == DataType{DataKind::floating, 2});
  static_assert(!std::is_convertible_v<float, float16> && std::is_convertible_v<float16, float>);
}

TEST_CASE("what std::numeric_limits says of it") {
  using Limits = std::numeric_limits<float16>;
  CHECK(double(Limits::min()) == 0x1p-14);
  CHECK(double(Limits::denorm_min()) == 0x1p-24);
  CHECK(double(Limits::epsilon()) == 0x1p-10);
  CHECK(double(Limits::round_error()) == 0.5);
  CHECK(std::isnan(float(Limits::signaling_NaN())));
}

TEST_CASE("it is a float wherever one is wanted: in sums, products, comparisons and text") {
  std::vector<float16> const numbers{float16{0.5}, float16{-2}, float16{4}};
  CHECK(std::accumulate(numbers.begin(), numbers.end(), 0.0) == 2.5);
  static_assert(std::is_same_v<decltype(float16{} + float16{}), float> &&
                std::is_same_v<decltype(float16{} * 0.5), double> && std::is_same_v<decltype(2 - float16{}), float>);
  CHECK(numbers[2] * 0.1 == 4 * 0.1);
  CHECK(numbers[0] < 1);
  CHECK(numbers[1] == -2.0f);
  CHECK(std::abs(numbers[1]) == 2.0f);
  std::ostringstream text;
  text << numbers[0] << ' ' << numbers[1];
  CHECK(text.str() == "0.5 -2");
}
