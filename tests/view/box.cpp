#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/view/box.hpp>

using namespace tessera;

static void check_region(Region const& region, Extents const& first, Extents const& count, Extents const& step) {
  CHECK(region.first == first);
  CHECK(region.count == count);
  CHECK(region.step == step);
}

TEST_CASE("all is every index of every dimension") {
  check_region(Box(all).resolve({4, 0, 7}), {0, 0, 0}, {4, 0, 7}, {1, 1, 1});
  check_region(Box(all).resolve({}), {}, {}, {});
}

TEST_CASE("a box has a slice per dimension") {
  check_region(Box{{1, 3}, all, {10, 20, 4}}.resolve({4, 5, 30}), {1, 0, 10}, {2, 5, 3}, {1, 1, 4});
  check_region(Box{{4, 4}}.resolve({4}), {4}, {0}, {1});
  check_region(Box{std::vector<Slice>{{0, 1}}}.resolve({4}), {0}, {1}, {1});
  Box const none(std::vector<Slice>{});
  check_region(none.resolve({}), {}, {}, {});
}

TEST_CASE("a slice counts as one does by hand") {
  std::uint64_t const seed = 1;
  CAPTURE(seed);
  test::Random random{seed};
  for (int round = 0; round < 2000; ++round) {
    auto const length = random(0, 40), first = random(0, length), stop = random(first, length), step = random(1, 50);
    CAPTURE(length);
    CAPTURE(first);
    CAPTURE(stop);
    CAPTURE(step);
    std::uint64_t count = 0;
    for (auto i = first; i < stop; i += step) ++count;
    auto const region = Box{{first, stop, step}}.resolve({length});
    CHECK(region.count[0] == count);
    CHECK(region.first[0] == first);
  }
}

TEST_CASE("the largest numbers do not wrap") {
  constexpr auto most = ~std::uint64_t{0} - 1;
  CHECK(Box{{0, most, most}}.resolve({most}).count[0] == 1);
  CHECK(Box{{0, most, 2}}.resolve({most}).count[0] == most / 2);
  CHECK(Box{{1, 2, ~std::uint64_t{0}}}.resolve({5}).count[0] == 1);
}

TEST_CASE("a box of another rank than the array's is refused") {
  test::check_refused<SelectionError>([] { Box{{0, 1}}.resolve({4, 4}); }, {"1 slices", "2 dimensions"});
  CHECK_THROWS_AS((Box{all, all}.resolve({4})), SelectionError);
}

TEST_CASE("a slice that does not fit is refused, with its dimension") {
  auto refuse = [](Slice slice, char const* shown) {
    test::check_refused<SelectionError>(
        [&] {
          Box{all, slice}.resolve({9, 4});
        },
        {"dimension 1", shown, "first <= stop <= 4", "step"});
  };
  refuse({0, 5}, "0:5:1");
  refuse({3, 2}, "3:2:1");
  refuse({5, 5}, "5:5:1");
  refuse({0, 4, 0}, "0:4:0");
  refuse({~std::uint64_t{0}, 4}, "18446744073709551615:4:1");
}
