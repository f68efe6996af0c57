// How many threads a program has that reads from many threads, or with many loaders, on the default queue.
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>

namespace loader_threads_tests {

using namespace tessera;
using Raw = Pipeline<space::Host, codec::Bytes>;

namespace {

constexpr std::size_t many = 16;

// Of this process; 0, if the system does not tell.
std::size_t threads_now() {
  std::error_code none;
  std::filesystem::directory_iterator const all{"/proc/self/task", none};
  return none ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

bool can_count() {
  if (threads_now() > 0) return true;
  MESSAGE("not run: the system does not say how many threads there are");
  return false;
}

/// Those that all default queues share, beside the threads that use them.
std::size_t shared() { return Queue<space::Host>::of_all_processors().threads() - 1; }

/// 64 chunks, opened on the default queue.
auto opened(test::GatedStore const& store) {
  create_array<int, 1>(store, "a", {.shape = {640}, .chunks = {10}}, Raw{}).write(all, std::vector<int>(640, 1));
  return [store] { return open_array<int, 1, Raw>(store, "a"); };
}

/// Returns when that many reads wait at the closed gate.
void await_reads(test::GatedStore const& store, std::size_t count) {
  std::unique_lock lock{store.gate->mutex};
  store.gate->changed.wait(lock, [&] { return store.gate->waiting >= count; });
}

}  // namespace

TEST_CASE("16 threads that read on default queues have the threads of one such queue") {
  if (!can_count()) return;
  test::GatedStore const store;
  auto const open = opened(store);
  std::vector<decltype(open())> arrays;
  for (std::size_t i = 0; i < many; ++i) arrays.push_back(open());
  auto const before = threads_now();
  store.gate->close();
  std::vector<std::thread> threads;
  for (auto const& array : arrays)
    threads.emplace_back([&] { CHECK(array.read(all)(639) == 1); });
  await_reads(store, many);
  CHECK(threads_now() <= before + many + shared());
  store.gate->open();
  for (auto& thread : threads) thread.join();
}

TEST_CASE("16 loaders of arrays on default queues have a thread each, and share the others") {
  if (!can_count()) return;
  test::GatedStore const store;
  auto const open = opened(store);
  std::vector<decltype(open())> arrays;
  for (std::size_t i = 0; i < many; ++i) arrays.push_back(open());
  auto const before = threads_now();
  store.gate->close();
  using Crops = decltype(Loader{arrays[0], UniformBoxes{{640}, {640}}});
  std::vector<std::unique_ptr<Crops>> loaders;
  for (auto const& array : arrays)
    loaders.push_back(std::make_unique<Crops>(array, UniformBoxes{{640}, {640}, {}, 3}, LoaderOptions{.cache = 0}));
  await_reads(store, many);
  CHECK(threads_now() <= before + many + shared());
  store.gate->open();
  for (auto& loader : loaders)
    for (int i = 0; i < 3; ++i) CHECK(loader->next()->array()(0, 639) == 1);
}

}  // namespace loader_threads_tests
