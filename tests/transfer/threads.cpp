// One array, read from many threads, and from tasks of its own queue.
#include <atomic>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/written_array.hpp>

using namespace tessera;

TEST_CASE("many threads read one array") {
  auto const& expected = test::t1_elements();
  for (std::size_t pool : {1u, 2u}) {
    auto const array = test::open_t1(test::HostQueue{pool});
    std::atomic<int> same{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&, copy = array] {
        auto const read = copy.read({{60, 130}, all, {3, 189, 7}});
        auto const picked = test::picked(test::memory_of(expected), copy.shape(), 1,
                                         Box{{60, 130}, all, {3, 189, 7}}.resolve(copy.shape()));
        same += std::ranges::equal(std::as_bytes(read.elements()), picked);
      });
    for (auto& thread : threads) thread.join();
    CHECK(same == 3);
  }
}

TEST_CASE("an array is read from a task of its own queue") {
  test::HostQueue queue{2};
  auto const array = test::open_t1(queue);
  std::atomic<int> same{0};
  queue.for_each(4, [&](std::size_t i) {
    auto const read = array.read({{50 * i, 50 * i + 40}, {100, 140}, all});
    std::size_t wrong = 0;
    test::for_each_index({40, 40, 189}, [&](Extents const& at) {
      wrong += read(at[0], at[1], at[2]) != test::t1_elements()[((50 * i + at[0]) * 233 + 100 + at[1]) * 189 + at[2]];
    });
    same += wrong == 0;
  });
  CHECK(same == 4);
}

TEST_CASE("an array given no queue has its own") {
  auto const array = open_array<std::uint8_t, 3, AllCodecs>(test::brain_store(), "t1");
  CHECK(array.untyped().queue().threads() >= 1);
  auto const elements = array.read(all);
  CHECK(std::ranges::equal(elements.elements(), test::t1_elements()));
}
