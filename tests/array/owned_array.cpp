// Arrays that own their elements: shapes that they are made with, and what is said of an index outside.
#include <array>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
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
  CHECK(create_array<float, 2>(store, "a", {.shape = {n, m}, .chunk_shape = {n, n}}).shape() == Extents{4, 6});
  CHECK(create_array<float, 2>(store, "b", {.shape = list, .chunk_shape = fixed}).chunk_shape() == Extents{4, 6});
  auto const array = create_array<float, 2>(store, "c", {.shape = {n, n}, .chunk_shape = {n, n}});
  array.resize(list);
  array.resize({n, m});
  array.resize(std::vector<std::size_t>{4, 8});
  CHECK(array.shape() == Extents{4, 8});
  test::check_refused<SelectionError>([&] { array.resize({n, -n}); }, {"found -4", "expected them from 0 on"});
  test::check_refused<SelectionError>([&] { array.resize(std::vector{4, -1}); }, {"found -1"});
}
