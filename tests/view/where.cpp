// The places of elements that satisfy a condition, and selections by them.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/tessera.hpp>
#include <tessera/view/where.hpp>

using namespace tessera;

TEST_CASE("places in the order of the range") {
  using Places = std::vector<std::uint64_t>;
  CHECK(indices_where(std::vector{5, 1, 7, 2}, [](int x) { return x > 1; }) == Places{0, 2, 3});
  CHECK(indices_where(std::vector<int>{}, [](int) { return true; }).empty());
  struct Point {
    bool is_inside;
  };
  CHECK(indices_where(std::vector<Point>{{false}, {true}}, &Point::is_inside) == Places{1});
}

TEST_CASE("a coordinate selects along its dimension") {
  MemoryStore<HostBuffer> const store;
  auto const y = create_array<float, 1>(store, "y", {.shape = {4}, .chunks = {3}});
  y.write(all, std::vector{30.0F, 10.0F, 40.0F, 20.0F});
  auto const a = create_array<int, 2>(store, "a", {.shape = {2, 4}, .chunks = {2, 3}});
  a.write(all, std::vector{0, 1, 2, 3, 4, 5, 6, 7});
  auto const northern = indices_where(y.read(all), [](float degrees) { return degrees >= 20 && degrees <= 30; });
  CHECK(std::ranges::equal(a.read(Orthogonal{all, northern}), std::vector{0, 3, 4, 7}));
  CHECK(a.read(Orthogonal{all, indices_where(y.read(all), [](float degrees) { return degrees > 90; })}).size() == 0);
}
