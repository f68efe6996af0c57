// Every pair of element types, number by number.
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <support/converted.hpp>
#include <tessera/core/detail/convert.hpp>

using namespace tessera;
using test::Random;

namespace {

using Numbers = std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                           std::uint32_t, std::uint64_t, float16, float, double>;

// The limits of a type and numbers near them.
template <class T>
std::vector<T> numbers_of(Random& random) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers{Limits::lowest(),  Limits::max(),       T{},
                         static_cast<T>(1), static_cast<T>(127), static_cast<T>(100)};
  if constexpr (!std::is_integral_v<T>)
    for (double const number : {-0.5, 0.5, 1.5, 255.5, 254.5, -128.5, -128.6, 65519.0, 65520.0, 4294967295.5, 1e30})
      numbers.push_back(static_cast<T>(number));
  for (int i = 0; i < 20; ++i) numbers.push_back(test::random_number<T>(random));
  return numbers;
}

template <class Way>
void check(Random& random, Way const& way, bool to_array) {
  using From = typename Way::From;
  using To = typename Way::To;
  CAPTURE(data_type_of<From>().name());
  CAPTURE(data_type_of<To>().name());
  CAPTURE(way.scale);
  CAPTURE(way.offset);
  CAPTURE(to_array);
  std::size_t wrong = 0, misfits = 0, saturated = 0;
  detail::with_mode(way, [&](auto mode) {
    for (auto const number : numbers_of<From>(random)) {
      auto const expected = test::expected_as<To>(number, way.scale, way.offset, to_array);
      bool fits = true;
      auto const found = detail::converted<decltype(mode)>(way, number, fits);
      misfits += fits != expected.has_value();
      if (expected)
        wrong += !test::is_equal(found, *expected);
      else if (!to_array)
        saturated += found != test::nearest_as<To>(number, way.scale, way.offset);
    }
  });
  CHECK(wrong == 0);
  CHECK(misfits == 0);
  CHECK(saturated == 0);
}

template <class To, class From>
void check_pair() {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    for (double const scale : {1.0, 0.25, -3.0, 1e-3})
      for (double const offset : {0.0, -12.5}) {
        check(random, detail::ToProgram<To, From>{scale, offset}, false);
        check(random, detail::ToArray<To, From>{scale, offset}, true);
      }
  }
}
template <class To, class... From>
void check_from(std::tuple<From...>*) {
  (check_pair<To, From>(), ...);
}
template <class... To>
void check_all(std::tuple<To...>*) {
  (check_from<To>(static_cast<Numbers*>(nullptr)), ...);
}

}  // namespace

TEST_CASE("each number of each type as one of each other") { check_all(static_cast<Numbers*>(nullptr)); }
