#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/view/array_view.hpp>

using namespace tessera;

TEST_CASE("a view in C order has the last dimension's elements side by side") {
  std::vector<float> elements(24);
  auto const view = ArrayView<float, 3>::c_order(elements.data(), {2, 3, 4});
  CHECK(&view(0, 0, 0) == &elements[0]);
  CHECK(&view(0, 0, 1) == &elements[1]);
  CHECK(&view(0, 1, 0) == &elements[4]);
  CHECK(&view(1, 2, 3) == &elements[23]);
  view(1, 0, 0) = 5;
  CHECK(elements[12] == 5);
  CHECK(&view[{1, 2, 3}] == &elements[23]);
}

TEST_CASE("a kernel asks for elements of device memory by a name of their own") {
  std::vector<float> elements(24);
  auto const view = ArrayView<float, 3, space::Device>::c_order(elements.data(), {2, 3, 4});
  CHECK(&view.in_kernel(1, 2, 3) == &elements[23]);
  ArrayView<float, 2, space::Device> const backwards{elements.data() + 2, {4, 3}, {0, -1}};
  CHECK(&backwards.in_kernel(3, 2) == &elements[0]);
}

TEST_CASE("a view's layout is in bytes") {
  auto const layout = ArrayView<double, 2>::c_order(nullptr, {3, 5}).layout();
  CHECK(layout.shape == Extents{3, 5});
  CHECK(layout.strides == Strides{40, 8});
  CHECK(layout.item_size == 8);
  CHECK(layout.swapped == 1);
  CHECK(layout == Layout::c_order({3, 5}, 8));
}

TEST_CASE("a view may run backwards and repeat") {
  std::vector<int> elements{1, 2, 3};
  ArrayView<int, 2> const view{elements.data() + 2, {4, 3}, {0, -1}};
  CHECK(view(0, 0) == 3);
  CHECK(view(3, 2) == 1);
}

TEST_CASE("a view without dimensions is one element") {
  int element = 7;
  auto const view = ArrayView<int, 0>::c_order(&element, {});
  CHECK(view() == 7);
  CHECK(view.layout().shape == Extents{});
}

TEST_CASE("a shape without elements may have any other lengths") {
  constexpr auto large = std::uint64_t{1} << 62;
  auto const view = ArrayView<double, 4>::c_order(nullptr, {0, large, large, 3});
  CHECK(view.layout().shape == Extents{0, large, large, 3});
  CHECK(Layout::c_order({0, large, large}, 8).shape == Extents{0, large, large});
}
