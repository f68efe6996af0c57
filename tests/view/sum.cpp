// Sums and means of numbers, in a type that is wide enough.
#include <cmath>
#include <cstdint>
#include <limits>
#include <list>
#include <sstream>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/core/float16.hpp>
#include <tessera/tessera.hpp>
#include <tessera/view/sum.hpp>

using namespace tessera;

TEST_CASE("sums of integers are of 64 bits, of fractions double") {
  std::vector<std::uint8_t> const bytes(1000, 255);
  static_assert(std::is_same_v<decltype(sum(bytes)), std::uint64_t>);
  CHECK(sum(bytes) == 255000);
  static_assert(std::is_same_v<decltype(sum(std::vector<short>{})), std::int64_t>);
  CHECK(sum(std::vector{INT32_MIN, INT32_MIN}) == 2 * std::int64_t{INT32_MIN});
  CHECK(sum(std::vector{~std::uint64_t{0}}) == ~std::uint64_t{0});
  static_assert(std::is_same_v<decltype(sum(std::vector<float>{})), double>);
  CHECK(sum(std::vector{16777216.0F, 1.0F, 1.0F}) == 16777218);
  CHECK(sum(std::vector{float16{60000}, float16{60000}}) == 120000);
  CHECK(sum(std::vector{true, false, true}) == 2);
}

TEST_CASE("means are double, of none NaN") {
  CHECK(mean(std::list<std::uint8_t>{255, 254}) == 254.5);
  CHECK(mean(std::vector{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()}) ==
        std::numeric_limits<int>::max());
  CHECK(std::isnan(mean(std::vector<float>{})));
}

TEST_CASE("the least and the greatest, as NumPy has them") {
  CHECK(minmax(std::vector{3, -1, 7, 7}) == MinMax<int>{-1, 7});
  CHECK(minmax(std::list<std::uint8_t>{200}) == MinMax<std::uint8_t>{200, 200});
  for (auto const& numbers : {std::vector{1.0F, NAN, 2.0F}, std::vector{NAN, 1.0F}, std::vector{1.0F, NAN}}) {
    auto const [least, most] = minmax(numbers);
    CHECK(std::isnan(least));
    CHECK(std::isnan(most));
  }
  CHECK(minmax(std::vector{float16{2}, float16{-2}}).least == float16{-2});
  CHECK_THROWS_WITH_AS(minmax(std::vector<int>{}), "found an empty range, expected at least one number",
                       SelectionError);
}

TEST_CASE("the least and the greatest are shown as numbers, with all their digits") {
  auto const shown = [](auto const& numbers) {
    std::ostringstream to;
    to << minmax(numbers);
    return to.str();
  };
  CHECK(shown(std::vector<std::uint8_t>{65, 200}) == "65 200");
  CHECK(shown(std::vector<std::int8_t>{-128, 1}) == "-128 1");
  CHECK(shown(std::vector{0.1F, 16777216.0F}) == "0.1 16777216");
  CHECK(shown(std::vector{0.1, 1e300}) == "0.1 1e+300");
  CHECK(shown(std::vector{1.0, NAN}) == "nan nan");
  CHECK(shown(std::vector{float16{0.5}, float16{2}}) == "0.5 2");
  CHECK(shown(std::vector{float16{-0.1}, float16{65504}}) == "-0.1 65500");  // as NumPy prints them
  CHECK(shown(std::vector{float16{1 + 1.0 / 1024}}) == "1.001 1.001");
  CHECK(shown(std::vector<std::uint64_t>{~std::uint64_t{0}}) == "18446744073709551615 18446744073709551615");
}

TEST_CASE("of an array that was just read") {
  auto const a =
      create_array<std::uint16_t, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {2, 3}, .chunks = {2, 2}});
  a.write(all, std::vector<std::uint16_t>{1, 2, 3, 4, 5, 60000});
  CHECK(sum(a.read(all)) == 60015);
  CHECK(mean(a.read({0, all})) == 2);
  CHECK(minmax(a.read(all)).most == 60000);
  CHECK(!a.read(all).empty());
  CHECK(a.read({{1, 1}, all}).empty());
}

TEST_CASE("of a part of an array that is in memory") {
  Queue<space::Host> on;
  OwnedArray<std::int32_t, 3, HostBuffer> whole{{4, 5, 6}, on};
  std::int32_t next = 0;
  for (auto& element : whole) element = next++;
  CHECK(sum(whole.sub({{1, 3}, 4, {0, 6, 5}})) == 54 + 59 + 84 + 89);
  CHECK(mean(std::as_const(whole).sub({all, 0, 0})) == 45);
  CHECK(minmax(whole.sub({2, {1, 3}, all})) == MinMax<std::int32_t>{66, 77});
  CHECK(sum(whole.sub({{2, 2}, all, all})) == 0);
}
