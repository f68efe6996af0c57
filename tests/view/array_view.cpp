#include <algorithm>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <tessera/core/error.hpp>
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

TEST_CASE("a view is a range of its elements, in C order") {
  static_assert(std::ranges::view<ArrayView<int, 2>> && std::ranges::forward_range<ArrayView<int, 2>>);
  static_assert(std::ranges::borrowed_range<ArrayView<int const, 0>>);
  static_assert(!std::ranges::range<ArrayView<int, 2, space::Device>>);
  std::vector<int> elements{1, 2, 3};
  ArrayView<int, 2> const backwards{elements.data() + 2, {2, 3}, {0, -1}};
  CHECK(std::ranges::equal(backwards, std::vector{3, 2, 1, 3, 2, 1}));
  for (auto& element : ArrayView<int, 1>{elements.data(), {2}, {2}}) element = 0;
  CHECK(elements == std::vector{0, 2, 0});
  CHECK(std::ranges::distance(ArrayView<int, 0>::c_order(elements.data(), {})) == 1);
  CHECK(std::ranges::distance(ArrayView<int, 3>::c_order(nullptr, {2, 0, 5})) == 0);
}

TEST_CASE("parts of parts are what their elements' indices say") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    test::Random random{seed};
    auto const shape = random.extents(3, 1, 6);
    std::vector<int> elements(shape[0] * shape[1] * shape[2]);
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<int>(i);
    auto view = ArrayView<int, 3>::c_order(elements.data(), shape);
    std::vector<std::uint64_t> index[3];  // of the remainder of each dimension
    for (std::size_t d = 0; d < 3; ++d)
      for (std::uint64_t i = 0; i < shape[d]; ++i) index[d].push_back(i);
    for (int times = 0; times < 2; ++times) {
      std::vector<Slice> slices;
      for (auto& left : index) {
        auto const first = random(0, left.size()), stop = random(first, left.size()), step = random(1, 3);
        slices.emplace_back(first, stop, step);
        std::vector<std::uint64_t> next;
        for (auto i = first; i < stop; i += step) next.push_back(left[i]);
        left = next;
      }
      view = view.sub(Box{slices});
    }
    std::vector<int> wanted;
    for (auto z : index[0])
      for (auto y : index[1])
        for (auto x : index[2]) wanted.push_back(static_cast<int>((z * shape[1] + y) * shape[2] + x));
    CHECK(std::ranges::equal(view, wanted));
  }
  std::vector<int> elements(6);
  auto const view = ArrayView<int, 2>::c_order(elements.data(), {2, 3});
  CHECK_THROWS_AS(view.sub({{0, 3}, all}), SelectionError);
  CHECK_THROWS_AS(view.sub({{0, 2}}), SelectionError);
}

TEST_CASE("parts whose strides or places nobody uses may have any") {
  std::vector<int> elements(20, 1);
  auto const view = ArrayView<int, 2>::c_order(elements.data(), {4, 5});
  CHECK(std::ranges::distance(view.sub({{0, 4, std::uint64_t{1} << 62}, all})) == 5);
  auto const none = ArrayView<int, 3>::c_order(nullptr, {0, std::uint64_t{1} << 62, 8});
  auto const first = std::uint64_t{1} << 61;
  CHECK(none.sub({all, {first, first + 4}, 3}).data == nullptr);
}
