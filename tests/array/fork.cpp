// fork() and arrays: while nothing runs the child may use what it inherited, otherwise it opens anew.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/child.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/local_store.hpp>

using namespace tessera;

namespace {

using Files = LocalStore<HostBuffer>;

auto sum(auto const& array) {
  std::vector<std::uint32_t> values(array.size());
  array.read(all, values);
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE("a child reads and writes its parent's array, and lets go of it") {
  test::TemporaryFolder const folder;
  std::optional array{create_array<std::uint32_t, 1>(
      Files{folder / "a"}, "", {.shape = {400000}, .chunks = {1000}}, {}, Queue<space::Host>{4})};
  array->fill(all, 3);
  REQUIRE(sum(*array) == 1200000);  // by threads, which the child lacks
  CHECK(test::in_child([&] {
    bool well = sum(*array) == 1200000;
    array->fill({{0, 200000}}, 5);
    well = well && sum(*array) == 1600000;
    array.reset();
    return well;
  }));
  CHECK(sum(*array) == 1600000);
}

TEST_CASE("a child of a process that is at work opens anew") {
  test::TemporaryFolder const folder;
  auto const array = create_array<std::uint32_t, 1>(Files{folder / "a"}, "", {.shape = {400000}, .chunks = {1000}},
                                                    {}, Queue<space::Host>{3});
  array.fill(all, 3);
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  std::thread reader{[&] {
    for (; !stop; ++rounds) (void)sum(array);
  }};
  while (rounds == 0) std::this_thread::yield();
  bool well = true;
  for (int child = 0; child < 20; ++child)
    well = test::in_child([&] {
             auto const own = open_array<std::uint32_t, 1>(Files{folder / "a"}, "", Queue<space::Host>{2});
             return sum(own) == 1200000;
           }) &&
           well;
  stop = true;
  reader.join();
  CHECK(well);
}
