#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>

using namespace tessera;

static constexpr auto most = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("products are exact up to 64 bits and an error beyond") {
  CHECK(checked_product(0, most, "n") == 0);
  CHECK(checked_product(most, 0, "n") == 0);
  CHECK(checked_product(most, 1, "n") == most);
  CHECK(checked_product(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1, "n") == most - ((1ull << 32) - 1));
  test::check_refused<MetadataError>(
      [] { checked_product(std::uint64_t{1} << 32, std::uint64_t{1} << 32, "the rows"); },
      {"the rows", "4294967296", "64 bits"});
  CHECK_THROWS_AS(checked_product(most, 2, "n"), MetadataError);
  CHECK_THROWS_AS(checked_product(most / 3 + 1, 3, "n"), MetadataError);
}

TEST_CASE("a size is at most what a pointer difference can say") {
  constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  CHECK(checked_size(0, "n") == 0);
  CHECK(checked_size(limit, "n") == limit);
  test::check_refused<MetadataError>([] { checked_size(limit + 1, "the chunk"); }, {"the chunk", "address space"});
}

TEST_CASE("element counts: the empty product is one, a zero wins over an overflow") {
  CHECK(element_count({}, "n") == 1);
  CHECK(element_count({2, 3, 4}, "n") == 24);
  CHECK(element_count({most, most, 0}, "n") == 0);
  CHECK(element_count({0, most, most}, "n") == 0);
  CHECK_THROWS_AS(element_count({most, 2}, "n"), MetadataError);
}
