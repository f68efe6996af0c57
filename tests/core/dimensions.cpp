#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
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

TEST_CASE("dimensions are made of any integers, but not of characters or of fractions") {
  int const n = 3;
  std::vector<int> const list{n, 4};
  std::int16_t const plain[]{3, 4};
  CHECK(Extents{n, 4u} == Extents{3, 4});
  CHECK(Extents{list} == Extents{3, 4});
  CHECK(Extents(std::array<long, 2>{3, 4}) == Extents{3, 4});
  CHECK(Extents(plain) == Extents{3, 4});
  CHECK(Strides{-n, std::size_t{4}} == Strides{-3, 4});
  CHECK(Extents{std::vector<int>{}} == Extents{});
  static_assert(Extents{3, 4}.rank() == 2 && Extents{{3, 4}}[1] == 4);
  static_assert(std::is_convertible_v<std::vector<int>, Extents> &&
                std::is_convertible_v<std::array<short, 2>, Extents>);
  static_assert(!std::is_convertible_v<std::string, Extents> && !std::is_convertible_v<std::vector<bool>, Extents> &&
                !std::is_convertible_v<std::vector<double>, Extents> && !std::is_convertible_v<Strides, Extents> &&
                !std::is_convertible_v<int, Extents>);
  CHECK_THROWS_WITH_AS((Extents{n, -n}),
                       doctest::Contains("found -3 among lengths or indices of dimensions, expected 0 or more"),
                       SelectionError);
  CHECK_THROWS_AS((Extents{std::vector{1, -1}}), SelectionError);
}

TEST_CASE("what a number with a sign cannot be is refused") {
  auto const large = ~std::uint64_t{0};
  std::size_t const half = std::size_t{1} << 63;
  for (auto number : {large, std::uint64_t{half}})
    try {
      Strides const strides{1, number};
      FAIL_CHECK(to_string(strides));
    } catch (SelectionError const& error) {
      CHECK(std::string{error.what()} == "found " + std::to_string(number) +
                                             " among signed numbers, expected at most 9223372036854775807");
    }
  CHECK_THROWS_AS((Strides{std::vector<std::uint64_t>{large}}), SelectionError);
  CHECK(Strides{half - 1, std::uint32_t{~0u}} == Strides{std::int64_t{9223372036854775807}, std::int64_t{4294967295}});
  CHECK(Extents{large}[0] == large);
}
