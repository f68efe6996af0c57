// Shards that other stores of the same folder replace, and that this one appends to, while they are read.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/sharded.hpp>
#include <support/temporary_folder.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace replaced_shards_tests {

using Local = LocalStore<HostBuffer>;
using HostQueue = Queue<space::Host>;
using Numbers = std::vector<std::uint8_t>;

// In the first value the first chunk is missing, so that the others are where their neighbours are in the second.
Numbers const first{0, 0, 3, 4, 5, 6, 7, 8}, second{11, 12, 13, 14, 15, 16, 17, 18};

/// Shows a folder's values with old timestamps, as of files that were not written for a while.
struct Settled : Local {
  using Local::Local;
  ValueWatch watch(Key const& key) const {
    auto seen = Local::watch(key).version();
    seen.is_settled = true;
    return ValueWatch{seen};
  }
};

template <class S>
void check_kept(std::string const& codecs) {
  test::TemporaryFolder const folder;
  S const mine{folder / ""};
  create_any<AllCodecs>(mine, "", test::array_metadata(test::sharded_document("[8]", "[8]", codecs).text()));
  auto const array = open_array<std::uint8_t, 1>(mine, "");
  auto const other = open_array<std::uint8_t, 1>(Local{folder / ""}, "");
  array.keep_shard_indexes(1 << 20);
  array.write(all, first);
  Numbers found(8);
  ReadOptions one_by_one{.mini_batch = 1, .in_flight = 1};
  one_by_one.progress = [&](std::uint64_t done, std::uint64_t) {
    if (done == 1) other.write(all, second);
  };
  array.read(all, found, one_by_one);
  for (std::size_t i = 0; i < 8; ++i) CHECK((found[i] == first[i] || found[i] == second[i]));
  CHECK(found.back() == second.back());
  for (int i = 0; i < 2; ++i) {
    array.read(all, found, {.mini_batch = 1});
    CHECK(found == second);
  }
}

TEST_CASE("a shard that another store replaces between two mini-batches: the new one is read then, and afterwards") {
  auto const shards = test::Sharding{"[2]"}.json();
  for (auto const& codecs : {'[' + shards + ']', '[' + shards + R"(, {"name": "crc32c"}])"}) {
    CAPTURE(codecs);
    check_kept<Local>(codecs);
    check_kept<Settled>(codecs);
  }
}

/// Has locks and reports changes, but cannot be watched. Something happens before each read of a shard's index.
struct Unwatched {
  using buffer_type = HostBuffer;
  struct Reads {
    std::size_t indexes = 0, all_of_them = 0;
    std::function<void(Key const&)> before_index{};
  };
  MemoryStore<HostBuffer> memory{};
  std::shared_ptr<Reads> reads = std::make_shared<Reads>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  HostQueue& on) const {
    ++reads->all_of_them;
    if (range.from_end) {
      ++reads->indexes;
      if (reads->before_index) reads->before_index(key);
    }
    return memory.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, HostQueue& on) const { memory.write(key, value, on); }
  bool erase(Key const& key, HostQueue& on) const { return memory.erase(key, on); }
  auto lock(Key const& key) const { return memory.lock(key); }
  SequenceCounter& changes(Key const& key) const { return memory.changes(key); }
};

// Two shards of four chunks each.
auto two_shards(Unwatched const& store) {
  using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
  using P = Pipeline<space::Host, Shards>;
  auto const array =
      create_array<std::uint8_t, 1>(store, "a", {.shape = {16}, .chunks = {8}}, P{Shards{{2}}}, HostQueue{});
  Numbers values = first;
  values.insert(values.end(), second.begin(), second.end());
  array.write(all, values);
  *store.reads = {};
  return array;
}

Box const one_chunk_of_each{{6, 10}};

TEST_CASE("shards beside keys of their locks that are written all the time are read the fourth time, locked") {
  Unwatched const store;
  auto const array = two_shards(store);
  std::map<std::string, std::mutex*> mutexes;
  for (std::string const key : {"a/c/0", "a/c/1"}) mutexes[key] = store.lock({key}).mutex();
  int written = 0;
  store.reads->before_index = [&](Key const& shard) {
    std::thread{[&] {  // a writer that takes the lock, but here has no time to wait for it
      std::unique_lock const held{*mutexes.at(shard.path), std::try_to_lock};
      if (!held) return;
      Key other{"other"};
      while (KeyLocks::number(other) != KeyLocks::number(shard)) other.path += '.';
      HostQueue on;
      store.changes(other).during([&] { store.write(other, {}, on); });
      ++written;
    }}
        .join();
  };
  Numbers found(4);
  array.read(one_chunk_of_each, found, {.mini_batch = every_chunk});
  CHECK(found == Numbers{7, 8, 11, 12});
  CHECK(written == 2 * 3);
  CHECK(store.reads->indexes == 2 * 4);
  CHECK(store.reads->all_of_them == 2 * 2 * 4);
}

TEST_CASE(
    "a shard that somebody replaces whenever its index is read, without a lock, is an error, or read until stop") {
  Unwatched const store;
  auto const array = two_shards(store);
  auto& reads = *store.reads;
  std::atomic<bool> stop{false};
  std::size_t last = 0;
  HostQueue on;
  auto const value = get_value(store.memory, {"a/c/0"}, on);
  reads.before_index = [&](Key const& shard) {
    store.changes(shard).during([&] { store.write(shard, value->view(), on); });
    if (reads.indexes == last) stop = true;
  };
  Numbers found(2);
  test::check_refused<StoreError>(
      [&] {
        array.read({{6, 8}}, found, {.stop = &stop});
      },
      {"takes no lock", "key \"a/c/0\""});
  CHECK(reads.indexes == 3 + 1001);
  for (last = 1; last < 6; ++last) {  // among the first three, and while it is locked
    CAPTURE(last);
    reads.indexes = 0;
    stop = false;
    CHECK_THROWS_AS(array.read({{6, 8}}, found, {.stop = &stop}), Cancelled);
    CHECK(reads.indexes == last);
  }
}

constexpr std::uint64_t chunk = std::uint64_t{1} << 20, size = 32 * chunk;

TEST_CASE("a shard that is read while it is appended to has its old end or its new one") {
  using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
  using P = Pipeline<space::Host, Shards>;
  auto const check = [](auto const& store, auto const& seen) {
    auto const array =
        create_array<std::uint8_t, 1>(store, "a", {.shape = {size}, .chunks = {size}}, P{Shards{{chunk}}});
    array.write({{0, chunk}}, Numbers(chunk, 1));
    std::atomic<bool> done{false};
    std::thread writer{[&] {
      HostQueue on;
      Numbers const many(12 * chunk, 2);
      for (int i = 0; i < 6; ++i) array.on(on).write({{8 * chunk, 20 * chunk}}, many, {.append_to_shards = true});
      done = true;
    }};
    auto const here = open_array<std::uint8_t, 1, P>(seen, "a");
    int wrong = 0;
    Numbers found(4);
    do try {
        here.read({{5, 9}}, found);
        wrong += found != Numbers(4, 1);
      } catch (Error const& error) {
        MESSAGE(std::string{error.what()});
        ++wrong;
      }
    while (!done && wrong == 0);
    writer.join();
    CHECK(wrong == 0);
  };
  test::TemporaryFolder const folder;
  Local const files{folder / "one"}, more{folder / "two"};
  check(files, files);
  check(more, ReadOnlyStore{more});
}

}  // namespace replaced_shards_tests
