// One array, read, written, appended to and resized by threads at once.
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

constexpr std::size_t columns = 3;

template <class S>
auto make(S const& store, std::uint64_t rows, std::size_t threads) {
  return create_array<int, 2>(store, "a", {.shape = {rows, columns}, .chunks = {4, columns}}, {},
                              test::HostQueue{threads});
}
std::vector<int> rows_of(int value, std::size_t count) { return std::vector<int>(count * columns, value); }

// All at once; an exception in one of them is a failure, except that a box exceeds a shape that shrank meanwhile.
void at_once(std::vector<std::function<void(int)>> const& works, int times) {
  std::vector<std::thread> threads;
  std::atomic<std::size_t> ready{0}, failed{0};
  for (auto const& work : works)
    threads.emplace_back([&] {
      ++ready;
      while (ready < works.size()) std::this_thread::yield();
      for (int i = 0; i < times; ++i) try {
          work(i);
        } catch (SelectionError const&) {
        } catch (...) {
          ++failed;
        }
    });
  for (auto& thread : threads) thread.join();
  CHECK(failed == 0);
}

// Rows of one value each, because a chunk has whole rows.
std::size_t torn_rows(std::vector<int> const& elements, int most) {
  std::size_t torn = 0;
  for (std::size_t at = 0; at < elements.size(); at += columns)
    torn += std::count(elements.begin() + static_cast<std::ptrdiff_t>(at),
                       elements.begin() + static_cast<std::ptrdiff_t>(at + columns), elements[at]) != columns ||
            elements[at] < 0 || elements[at] > most;
  return torn;
}

template <class A>
std::vector<int> numbers_of(A const& array) {
  auto const read = array.read(all);
  return {read.elements().begin(), read.elements().end()};
}

}  // namespace

TEST_CASE("threads append to one array while others write and read it: no row is lost, none is torn") {
  test::TemporaryFolder const folder;
  auto const run = [](auto const& store, std::size_t pool) {
    constexpr int times = 20;
    auto const array = make(store, 6, pool);
    std::atomic<std::size_t> torn{0};
    auto const append = [&](int value) { return [&, copy = array, value](int) { copy.append(rows_of(value, 3)); }; };
    auto const write = [&, copy = array](int) { copy.write({{0, 6}, all}, rows_of(9, 6)); };  // of a border chunk too
    auto const read = [&, copy = array](int) { torn += torn_rows(numbers_of(copy), 9); };
    at_once({append(1), append(2), append(3), write, read}, times);
    CHECK(torn == 0);
    CHECK(array.shape() == Extents{6 + 3 * 3 * times, columns});
    std::map<int, std::size_t> found;
    for (auto value : numbers_of(open_array<int, 2>(store, "a"))) ++found[value];
    for (int value : {1, 2, 3}) CHECK(found[value] == 3 * columns * times);
    CHECK(found[9] == 6 * columns);
  };
  for (std::size_t pool : {1u, 3u}) run(MemoryStore<HostBuffer>{}, pool);
  run(LocalStore<HostBuffer>{folder.path()}, 2);
}

TEST_CASE("threads resize an array while others append, write and read: rows are whole, and of somebody") {
  test::TemporaryFolder const folder;
  auto const run = [](auto const& store, std::size_t pool) {
    auto const array = make(store, 10, pool);
    std::atomic<std::size_t> torn{0};
    auto const resize = [&](std::uint64_t rows) {
      return [&, copy = array, rows](int i) { copy.resize({i % 2 ? rows : 30, columns}); };
    };
    auto const append = [&, copy = array](int) { copy.append(rows_of(1, 5)); };
    auto const write = [&, copy = array](int i) {
      auto const first = static_cast<std::uint64_t>(i % 20);
      copy.write({{first, first + 5}, all}, rows_of(2, 5));
    };
    auto const read = [&, copy = array](int) { torn += torn_rows(numbers_of(copy), 2); };
    at_once({resize(0), resize(7), append, write, read, read}, 30);
    CHECK(torn == 0);
    CHECK(torn_rows(numbers_of(open_array<int, 2>(store, "a")), 2) == 0);
    array.resize({2, columns});
    array.resize({50, columns});
    auto const last = numbers_of(array);
    CHECK(std::all_of(last.begin() + 2 * columns, last.end(), [](int element) { return element == 0; }));
  };
  for (std::size_t pool : {1u, 3u}) run(MemoryStore<HostBuffer>{}, pool);
  run(LocalStore<HostBuffer>{folder.path()}, 2);
}
