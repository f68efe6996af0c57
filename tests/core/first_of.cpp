#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/core/detail/first_of.hpp>

using namespace tessera;

TEST_CASE("the first of several items that a condition holds for, itself and no copy, or null") {
  std::vector<int> numbers{3, 8, 5, 8};
  auto const is = [](int wanted) { return [wanted](int number) { return number == wanted; }; };
  CHECK(detail::first_of(numbers, is(8)) == &numbers[1]);
  CHECK(detail::first_of(numbers, is(3)) == numbers.data());
  CHECK(detail::first_of(numbers, is(4)) == nullptr);
  std::span<int const> const none;
  CHECK(detail::first_of(none, is(0)) == nullptr);
  *detail::first_of(numbers, is(5)) = 4;
  CHECK(numbers[2] == 4);
}
