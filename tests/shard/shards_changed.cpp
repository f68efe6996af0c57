// Shards that are replaced while they are read: a reader of this process sees each chunk as it was before or as it is
// afterwards, never one by an index and another by the next.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using HostQueue = Queue<space::Host>;
using Plain = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>>;
using Compressed = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes, codec::Zstd>>>;

namespace {

// A store in memory in which something happens before a read.
struct Interrupted {
  using buffer_type = HostBuffer;
  Memory memory{};
  std::shared_ptr<std::function<void()>> happens = std::make_shared<std::function<void()>>();
  std::shared_ptr<int> reads_until = std::make_shared<int>(-1);

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  HostQueue& on) const {
    if ((*reads_until)-- == 0) (*happens)();
    return memory.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, HostQueue& on) const { memory.write(key, value, on); }
  bool erase(Key const& key, HostQueue& on) const { return memory.erase(key, on); }
};
// One that lends, and has locks.
struct InterruptedLending : Interrupted {
  std::optional<Lent<space::Host>> lend(Key const& key, ByteRange range, HostQueue& on) const {
    if ((*reads_until)-- == 0) (*happens)();
    return memory.lend(key, range, on);
  }
  auto lock(Key const& key) const { return memory.lock(key); }
  SequenceCounter& changes(Key const& key) const { return memory.changes(key); }
};

template <class P>
auto made(auto const& store, std::uint64_t size, std::uint64_t per_shard, std::uint64_t per_chunk, HostQueue on = {}) {
  codec::Sharding<typename P::leaf_type> const shards{{per_chunk}};
  return create_array<std::uint32_t, 1>(store, "a", {.shape = {size}, .chunks = {per_shard}}, P{shards}, on);
}

template <class P, class S>
void check_replaced(bool backwards) {
  // In one value the first chunk is missing, so that the others are where their neighbours are in the other.
  std::vector<std::uint32_t> first{0, 0, 3, 4, 5, 6, 7, 8}, second{11, 12, 13, 14, 15, 16, 17, 18};
  if (backwards) first.swap(second);
  for (int reads = 0; reads <= 5; ++reads) {
    CAPTURE(reads);
    S const store;
    auto const array = made<P>(store, 8, 8, 2);
    array.write(all, first);
    std::vector<std::uint32_t> found(8);
    int times = 0;
    *store.happens = [&] { ++times, array.write(all, second); };
    *store.reads_until = reads;  // 0: before the index; 1: before the first chunk
    array.read(all, found, ReadOptions{.mini_batch = every_chunk, .max_request_bytes = 1});
    *store.reads_until = -1;
    CHECK(found == (times ? second : first));
    CHECK((times == 1 || reads == 5 || (reads == 4 && !backwards)));
  }
}

}  // namespace

TEST_CASE("a shard that is replaced after its index was read: the new chunks, by the new index") {
  for (bool const backwards : {false, true}) {
    CAPTURE(backwards);
    check_replaced<Plain, Interrupted>(backwards);
    check_replaced<Plain, InterruptedLending>(backwards);
    check_replaced<Compressed, Interrupted>(backwards);
    check_replaced<Compressed, InterruptedLending>(backwards);
  }
}

namespace {

constexpr std::uint32_t versions = 1000;  // an element is its index times that and a version, or nothing

// Threads write and read parts of one array, whose chunks appear and disappear; one reader of two keeps indexes.
template <class P, class S, class Seen>
void check_shared(S const& store, Seen const& seen) {
  constexpr std::uint64_t size = 64;
  auto const array = made<P>(store, size, 16, 2);
  std::atomic<int> writing{2};
  std::atomic<std::uint64_t> wrong{0}, reads{0};
  std::vector<std::thread> threads;
  for (std::uint32_t writer = 0; writer < 2; ++writer)
    threads.emplace_back([&, writer] {
      HostQueue on;
      for (std::uint32_t round = 1; round <= 60; ++round) {
        auto const first = (round * 7 + writer * 5) % (size - 24);
        std::vector<std::uint32_t> values(24);
        for (std::uint32_t i = 0; i < 24; ++i)
          if ((i / 4 + round + writer) % 3 != 0)
            values[i] = static_cast<std::uint32_t>(first + i) * versions + 2 * round + writer;
        array.on(on).write(Box{{first, first + 24}}, values);
      }
      --writing;
    });
  for (int reader = 0; reader < 2; ++reader)
    threads.emplace_back([&, reader] {
      HostQueue on;
      auto const here = open_array<std::uint32_t, 1, P>(seen, "a", on);
      if (reader) here.keep_shard_indexes(1000);
      for (bool last = false; !last;) {
        last = writing == 0;
        std::vector<std::uint32_t> values(size);
        try {
          here.read(all, values, ReadOptions{.mini_batch = reader ? std::size_t{5} : every_chunk});
        } catch (Error const&) {
          ++wrong;
        }
        for (std::uint32_t i = 0; i < size; ++i) wrong += values[i] != 0 && values[i] / versions != i;
        ++reads;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(reads >= 2);
}

}  // namespace

TEST_CASE("threads that read and write shards of one array: each element is one that was written there") {
  Memory const memory, other;
  check_shared<Plain>(memory, memory);
  check_shared<Compressed>(other, ReadOnlyStore{other});
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const files{folder / "plain"}, packed{folder / "packed"};
  check_shared<Plain>(files, files);
  check_shared<Compressed>(packed, packed);
}
