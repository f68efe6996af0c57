#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/core/dimensions.hpp>

using namespace tessera;

TEST_CASE("dimensions are compared by rank and values") {
  CHECK(Extents{} == Extents{});
  CHECK(Extents{1, 2} == Extents{1, 2});
  CHECK_FALSE(Extents{1, 2} == Extents{2, 1});
  CHECK_FALSE(Extents{1} == Extents{1, 0});
  CHECK(Extents::filled(3, 7) == Extents{7, 7, 7});
  std::vector<std::uint64_t> const values{4, 5};
  CHECK(Extents{std::span<std::uint64_t const>{values}} == Extents{4, 5});
}

TEST_CASE("dimensions are shown as a list") {
  CHECK(to_string(Extents{}) == "[]");
  CHECK(to_string(Extents{197, 233, 189}) == "[197, 233, 189]");
  CHECK(to_string(Strides{-8, 4}) == "[-8, 4]");
}

TEST_CASE("there are at most 32 dimensions") {
  auto full = Extents::filled(max_rank, 1);
  CHECK(full.rank() == 32);
  CHECK_THROWS_AS(full.push_back(1), MetadataError);
  CHECK(full.rank() == 32);
}
