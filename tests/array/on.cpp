// array.on(queue): a handle of the same array whose work another queue does.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/remote_store.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/cache/chunk_cache.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>

namespace on_tests {

using namespace tessera;
using test::Remote;
using Plain = Pipeline<space::Host, codec::Bytes>;
using Threads = std::set<std::thread::id>;

namespace {

// Notes the threads that read and write values.
struct NotingThreads : Remote {
  struct Noted {
    std::mutex mutex{};
    Threads threads{};
  };
  std::shared_ptr<Noted> noted = std::make_shared<Noted>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> to, HostQueue& queue) const {
    note();
    return Remote::read(key, range, to, queue);
  }
  void write(Key const& key, ByteView<Space> value, HostQueue& queue) const {
    note();
    Remote::write(key, value, queue);
  }
  Threads take() const {
    std::lock_guard lock{noted->mutex};
    return std::exchange(noted->threads, {});
  }

 private:
  void note() const {
    std::lock_guard lock{noted->mutex};
    noted->threads.insert(std::this_thread::get_id());
  }
};

template <class S>
auto array_of_64(S const& store, Queue<space::Host> queue) {
  auto const array =
      create_array<std::int32_t, 1>(store, "a", {.shape = {64}, .chunks = {1}, .fill = 7}, Plain{}, std::move(queue));
  array.write(all, std::vector<std::int32_t>(64, 3));
  (void)store.take();
  return array;
}

}  // namespace

TEST_CASE("the handle's queue does all the work of its calls") {
  NotingThreads const store;
  auto const pooled = array_of_64(store, Queue<space::Host>{4});
  Threads const here{std::this_thread::get_id()};
  auto const array = pooled.on(Queue<space::Host>{});  // the handle shares the queue, which is a temporary here
  CHECK(pooled.queue().threads() == 4);
  CHECK(array.queue().threads() == 1);

  std::vector<std::int32_t> memory(64);
  array.read(all, memory);
  CHECK(memory == std::vector<std::int32_t>(64, 3));
  CHECK(store.take() == here);
  CHECK(array.read(all)(63) == 3);
  CHECK(store.take() == here);
  CHECK(read_as<double>(array, all)(5) == 3);
  CHECK(store.take() == here);
  CHECK(array.untyped().as<std::int32_t, 1>().read(all)(5) == 3);
  CHECK(store.take() == here);
  CHECK(ArrayOf<std::int32_t, NotingThreads, Plain>{pooled.untyped()}.on(Queue<space::Host>{}).read(all).size() == 64);
  CHECK(store.take() == here);
  CHECK(array.through<AnyPipeline<space::Host, space::Host, BuiltInCodecs>>().read(all)(5) == 3);
  CHECK(store.take() == here);
  CHECK(array.with(ReadOptions{}).read(all)(5) == 3);
  CHECK(store.take() == here);

  array.write(all, std::vector<std::int32_t>(64, 4));
  CHECK(store.take() == here);
  write_as(array, all, std::vector<double>(64, 5));
  CHECK(store.take() == here);
  array.fill(all, 6);
  CHECK(store.take() == here);
  array.append(std::vector<std::int32_t>(64, 8));
  CHECK(store.take() == here);
  array.resize({32});
  CHECK(pooled.shape() == Extents{32});  // both are handles of one array
  CHECK(pooled.read(all)(31) == 6);
}

TEST_CASE("a cache's handle works in the order of its queue, the cache reads on its own") {
  NotingThreads const store;
  auto const array = array_of_64(store, Queue<space::Host>{});
  ChunkCache const cache{array, {.host = 1 << 20}};
  auto const other = cache.on(Queue<space::Host>{2});
  CHECK(cache.queue().threads() == 1);
  CHECK(other.queue().threads() == 2);
  std::vector<std::int32_t> memory(64);
  other.read(all, memory);
  CHECK(memory == std::vector<std::int32_t>(64, 3));
  CHECK(store.take() == Threads{std::this_thread::get_id()});
  cache.read(all, memory);
  CHECK(store.take().empty());  // the handles share the cache
}

}  // namespace on_tests
