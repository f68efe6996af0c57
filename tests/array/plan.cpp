#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/reference.hpp>
#include <support/written_array.hpp>
#include <tessera/array/plan.hpp>

using namespace tessera;

TEST_CASE("the pieces of a plan are the elements of its region, each once") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    test::Random random{seed};
    auto const rank = random(0, 3);
    auto const shape = random.extents(rank, 1, 20), chunks = random.extents(rank, 1, 8);
    auto const region = Box{test::random_slices(random, shape)}.resolve(shape);
    Plan const plan{region, chunks};
    std::vector<int> seen(test::size_of(region.count));
    std::size_t wrong = 0;
    for (std::uint64_t i = 0; i < plan.size(); ++i) {
      auto const piece = plan.piece(i);
      CHECK(test::size_of(piece.count) > 0);
      test::for_each_index(piece.count, [&](Extents const& index) {
        auto in_region = index;
        for (std::size_t d = 0; d < rank; ++d) {
          auto const in_chunk = piece.first[d] + index[d] * piece.step[d];
          in_region[d] = piece.target[d] + index[d];
          wrong += in_chunk >= chunks[d];
          wrong += piece.chunk[d] * chunks[d] + in_chunk != region.first[d] + in_region[d] * region.step[d];
          wrong += in_region[d] >= region.count[d];
        }
        if (wrong == 0) ++seen[test::c_index(region.count, in_region)];
      });
    }
    CHECK(wrong == 0);
    CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(seen.size()));
  }
}

TEST_CASE("steps may pass over any number of chunks: those between are not planned") {
  Plan const plan{Box{{0, 30, 25}}.resolve({30}), {5}};
  REQUIRE(plan.size() == 2);
  CHECK(plan.piece(0).chunk == Extents{0});
  CHECK(plan.piece(1).chunk == Extents{5});

  constexpr auto length = std::uint64_t{1} << 60, step = std::uint64_t{1} << 50;
  Plan const wide{Box{{0, length, step}}.resolve({length}), {1}};
  REQUIRE(wide.size() == 1024);
  CHECK(wide.piece(1023).chunk == Extents{1023 * step});
  CHECK(wide.piece(1023).target == Extents{1023});
}

TEST_CASE("an empty region has no chunks; a region without dimensions has one") {
  CHECK(Plan(Box{{3, 3}, all}.resolve({9, 9}), {2, 2}).size() == 0);
  CHECK(Plan(Box(all).resolve({}), {}).size() == 1);
}

TEST_CASE("positions near the largest do not wrap") {
  constexpr auto large = std::uint64_t{1} << 62;
  Plan const plan{Box{{large - 3, large, large}}.resolve({large}), {4}};
  REQUIRE(plan.size() == 1);
  CHECK(plan.piece(0).chunk == Extents{large / 4 - 1});
  CHECK(plan.piece(0).first == Extents{1});
  CHECK(plan.piece(0).count == Extents{1});
}
