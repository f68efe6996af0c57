// Arrays that own their elements: shapes at construction, and errors of an index out of bounds.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace {

OwnedArray<int, 3, HostBuffer> counted() {
  Queue<space::Host> on{1};
  int const rows = 2;
  OwnedArray<int, 3, HostBuffer> array{{rows, 3, 4u}, on};
  std::iota(array.elements().begin(), array.elements().end(), 0);
  return array;
}

}  // namespace

TEST_CASE("an element by its indices, by an index in braces, and checked") {
  auto array = counted();
  CHECK(array.shape() == Extents{2, 3, 4});
  CHECK(array.strides() == Strides{12, 4, 1});
  CHECK(array(1, 2, 3) == 23);
  CHECK(array[{1, 0, 2}] == 14);
  CHECK(array.at(0, 1, 2) == 6);
  array.at(0, 1, 2) = 60;
  array[{0, 0, 0}] = 7;
  array(0, 0, 1) = 8;
  auto const& same = std::as_const(array);
  static_assert(std::is_same_v<decltype(same.at(0, 1, 2)), int const&>);
  CHECK(same.at(0, 1, 2) == 60);
  CHECK(same[{0, 0, 0}] == 7);
  CHECK(same(0, 0, 1) == 8);
  CHECK(counted().at(1, 2, 3) == 23);
  CHECK(counted()(1, 2, 3) == 23);
}

TEST_CASE("an index outside is an error that names it and the shape") {
  auto array = counted();
  test::check_refused<SelectionError>([&] { array.at(1, 3, 0); }, {"element [1, 3, 0]", "shape [2, 3, 4]"});
  test::check_refused<SelectionError>([&] { array.at(1, -1, 0); }, {"element [1, -1, 0]"});
  test::check_refused<SelectionError>([&] { std::as_const(array).at(2, 0, 0); }, {"element [2, 0, 0]"});
  test::check_refused<SelectionError>([&] { counted().at(0, 0, ~std::uint64_t{0}); }, {"shape [2, 3, 4]"});
  if constexpr (detail::checks_elements) {  // as in this build, unless it defines NDEBUG
    test::check_refused<SelectionError>([&] { array(1, 0, 4); }, {"element [1, 0, 4]"});
    test::check_refused<SelectionError>([&] { counted()(1, 0, 4); }, {"element [1, 0, 4]"});
    test::check_refused<SelectionError>([&] { (void)array[{1, 0, 4}]; }, {"element [1, 0, 4]"});
    test::check_refused<SelectionError>([&] { (void)array[{1, 0}]; }, {"element [1, 0]"});
  }
  test::check_refused<SelectionError>([&] { array.operator()<true>(2, 0, 0); }, {"element [2, 0, 0]"});
}

TEST_CASE("a shape is made of whatever integers there are") {
  int const n = 4;
  std::int64_t const m = 6;
  std::vector<int> const list{4, 6};
  std::array<std::uint16_t, 2> const fixed{4, 6};
  MemoryStore<HostBuffer> const store;
  CHECK(create_array<float, 2>(store, "a", {.shape = {n, m}, .chunks = {n, n}}).shape() == Extents{4, 6});
  CHECK(create_array<float, 2>(store, "b", {.shape = list, .chunks = fixed}).chunk_shape() == Extents{4, 6});
  auto const array = create_array<float, 2>(store, "c", {.shape = {n, n}, .chunks = {n, n}});
  array.resize(list);
  array.resize({n, m});
  array.resize(std::vector<std::size_t>{4, 8});
  CHECK(array.shape() == Extents{4, 8});
  test::check_refused<SelectionError>([&] { array.resize({n, -n}); }, {"found -4", "expected 0 or more"});
  test::check_refused<SelectionError>([&] { array.resize(std::vector{4, -1}); }, {"found -1"});
}

TEST_CASE("an array is a range of its elements, in C order") {
  using Array = OwnedArray<int, 3, HostBuffer>;
  static_assert(std::ranges::contiguous_range<Array> && std::ranges::sized_range<Array const>);
  static_assert(!std::ranges::borrowed_range<Array>);  // of a temporary: algorithms return no iterators
  static_assert(std::is_same_v<std::ranges::range_reference_t<Array const>, int const&>);
  auto array = counted();
  CHECK(std::accumulate(array.begin(), array.end(), 0) == 23 * 24 / 2);
  for (auto& x : array) x += 1;
  int expected = 0;
  for (auto const& x : std::as_const(array)) CHECK(x == ++expected);
  CHECK(expected == 24);
  CHECK(std::ranges::data(array) == array.data());
  CHECK(std::ranges::size(array) == 24);
  CHECK(std::ranges::count_if(std::as_const(array), [](int x) { return x % 2 == 0; }) == 12);
}

TEST_CASE("an array that was just read is a range for one call") {
  auto const [least, most] = std::ranges::minmax(counted());
  CHECK(least == 0);
  CHECK(most == 23);
  static_assert(std::is_same_v<decltype(std::ranges::max_element(counted())), std::ranges::dangling>);
  int sum = 0;
  for (auto x : counted()) sum += x;
  CHECK(sum == 23 * 24 / 2);
}

TEST_CASE("an array of no dimensions has one element, one of length 0 none") {
  Queue<space::Host> on;
  OwnedArray<double, 0, HostBuffer> one{{}, on};
  *one.begin() = 1.5;
  CHECK(std::ranges::distance(one) == 1);
  CHECK(one() == 1.5);
  OwnedArray<double, 2, HostBuffer> const none{{3, 0}, on};
  CHECK(none.begin() == none.end());
  for (auto x : none) CHECK(x != x);  // never
}

TEST_CASE("an array whose rank only the file knows is a range too") {
  MemoryStore<HostBuffer> const store;
  auto const a = create_array<std::uint8_t, 2>(store, "a", {.shape = {2, 3}, .chunks = {2, 2}, .fill = 7});
  auto const sum = visit<Types<std::uint8_t>>(a.untyped(), [](auto const& typed) {
    int all_of_them = 0;
    for (auto x : typed.read(all)) all_of_them += x;
    return all_of_them;
  });
  CHECK(sum == 42);
}

TEST_CASE("an array of indices selects") {
  MemoryStore<HostBuffer> const store;
  auto const a = create_array<int, 1>(store, "a", {.shape = {6}, .chunks = {2}});
  a.write(all, std::vector{0, 1, 2, 3, 4, 5});
  a.write({{0, 2}}, std::vector{5, 3});
  auto const indices = a.read({{0, 2}});
  CHECK(std::ranges::equal(a.read(Orthogonal{indices}), std::vector{5, 3}));
}
