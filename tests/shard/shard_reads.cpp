// The number of requests for a shard to a store that reads one range at a time: cached indexes, ranges that are read at
// once, shards that are read whole.
#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <support/shard_bytes.hpp>
#include <support/sharded.hpp>
#include <support/store_conformance.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

namespace shard_reads_tests {

using namespace tessera;
using test::HostQueue;
using test::Remote;
using Texts = std::vector<std::string>;

namespace {

/// A store whose copies know the writes of all of them.
struct Counting : Remote {
  auto lock(Key const& key) const { return values.lock(key); }
  SequenceCounter& changes(Key const& key) const { return values.changes(key); }
};

constexpr std::uint64_t size =
    50;  // of an array of shards of 16 elements and chunks of 4, whose last one has 2 elements

std::vector<std::uint8_t> numbers(std::uint8_t first = 1) {
  std::vector<std::uint8_t> result(size);
  for (auto& n : result) n = first++;
  return result;
}

using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
using P = Pipeline<space::Host, Shards>;

template <class S>
auto four_shards(S const& store, HostQueue on = {}) {
  auto const array =
      create_array<std::uint8_t, 1>(store, "a", {.shape = {size}, .chunks = {16}}, P{Shards{{4}}}, on);
  array.write(all, numbers());
  return array;
}

template <class Array>
std::vector<std::uint8_t> values(Array const& array, std::uint64_t first, std::uint64_t last,
                                 ReadOptions const& options = {}) {
  std::vector<std::uint8_t> found(last - first);
  array.read(Box{{first, last}}, found, options);
  return found;
}
std::vector<std::uint8_t> part(std::vector<std::uint8_t> const& whole, std::size_t first, std::size_t last) {
  return {whole.begin() + static_cast<std::ptrdiff_t>(first), whole.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace

TEST_CASE("indexes that are kept are read once: k inner chunks of s shards are s reads of indexes and k of chunks") {
  Remote const store;
  auto const array = four_shards(store);
  auto& asked = *store.asked;
  array.keep_shard_indexes(1 << 20);
  auto const copy = array;
  asked.take();
  CHECK(values(array, 0, 4) == part(numbers(), 0, 4));
  CHECK(asked.take() == Texts{"a/c/0 0 + 4", "a/c/0 last 68"});
  CHECK(values(array, 0, 4) == part(numbers(), 0, 4));
  CHECK(asked.take() == Texts{"a/c/0 0 + 4"});
  CHECK(values(copy, 13, 20) == part(numbers(), 13, 20));  // a copy shares them
  CHECK(asked.take() == Texts{"a/c/0 12 + 4", "a/c/1 0 + 4", "a/c/1 last 68"});
  for (int round = 0; round < 3; ++round)
    for (std::uint64_t i = 0; i < 32; ++i) CHECK(values(copy, i, i + 1)[0] == i + 1);
  auto const reads = asked.take();
  CHECK(reads.size() == 3 * 32);
  CHECK(std::ranges::none_of(reads, [](auto const& read) { return read.ends_with("last 68"); }));
  CHECK(values(array, 0, 32) == part(numbers(), 0, 32));  // only chunks are requested of a shard with a known index
  CHECK(asked.take() == Texts{"a/c/0 0 + 16", "a/c/1 0 + 16"});

  auto const apart = open_array<std::uint8_t, 1>(store, "a");  // another handle follows its own options
  values(apart, 0, 4), values(apart, 0, 4);
  CHECK(asked.take() == Texts{"a/c/0 0 + 4", "a/c/0 0 + 4", "a/c/0 last 68", "a/c/0 last 68"});
  array.keep_shard_indexes(0);
  values(array, 0, 4), values(copy, 0, 4);
  CHECK(asked.take() == Texts{"a/c/0 0 + 4", "a/c/0 0 + 4", "a/c/0 last 68", "a/c/0 last 68"});
}

TEST_CASE("an array without shards has no indexes to keep") {
  Remote const store;
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {4}, .chunks = {2}});
  array.keep_shard_indexes(1000);
  array.write(all, std::vector<std::uint8_t>{1, 2, 3, 4});
  CHECK(values(array, 1, 3) == std::vector<std::uint8_t>{2, 3});
}

TEST_CASE("indexes are kept as far as there is room: those that were used last") {
  Remote const store;
  auto const array = four_shards(store);
  auto& asked = *store.asked;
  auto const index_reads = [&] {
    auto const reads = asked.take();
    return std::ranges::count_if(reads, [](auto const& read) {  // the last shard, of one chunk, is read whole
      return read.ends_with("last 68") || read == "a/c/3";
    });
  };
  auto const read_shards = [&](std::initializer_list<std::uint64_t> shards) {
    for (auto shard : shards) CHECK(values(array, 16 * shard, 16 * shard + 1)[0] == 16 * shard + 1);
    return index_reads();
  };
  index_reads();
  array.keep_shard_indexes(1);  // a single one
  CHECK(read_shards({0, 0, 0}) == 1);
  CHECK(read_shards({1, 0, 1, 0}) == 4);
  array.keep_shard_indexes(1 << 20);
  CHECK(read_shards({0, 1, 2, 3, 3, 2, 1, 0}) == 4);

  // Room for all of them, and then for one less.
  auto const form = P{Shards{{4}}}.resolve({{16}, data_type_of<std::uint8_t>()});
  ShardIndexCache whole{form.shards, 1 << 20};
  SequenceCounter changes;
  HostQueue on;
  auto const find = [&](ShardIndexCache& cache, std::uint64_t shard) {
    Key const key{"a/c/" + std::to_string(shard)};
    auto const known = cache.open(key, changes);
    auto location = cache.find(known, {4 * shard});
    if (location.claim) location.claim->keep(get_value(store.values, key, on, location.claim->range())->view(), on);
    CHECK(cache.find(known, {4 * shard}).chunk);
    return location.claim.has_value();
  };
  for (std::uint64_t shard = 0; shard < 4; ++shard) find(whole, shard);
  CHECK(whole.size() > 4 * 64);
  CHECK(whole.size() < 4 * 1000);
  ShardIndexCache most{form.shards, whole.size() - 1};
  for (std::uint64_t shard = 0; shard < 4; ++shard) {
    CHECK(find(most, shard) == 1);
    CHECK(most.size() < whole.size());
  }
  CHECK(find(most, 1) == 0);
  CHECK(find(most, 0) == 1);  // was least recently used
  CHECK(find(most, 1) == 0);
  CHECK(find(most, 2) == 1);  // now this one was
  whole.forget({"a/c/1"});
  whole.forget({"a/c/1"});
  CHECK(find(whole, 1) == 1);
  CHECK(find(whole, 0) == 0);
  for (std::uint64_t shard = 0; shard < 4; ++shard) whole.forget({"a/c/" + std::to_string(shard)});
  CHECK(whole.size() == 0);
}

TEST_CASE("a shard that an array writes is read by its new index, and no other is") {
  auto const check = [](auto const& store, auto const& array, auto const& writer) {
    auto& asked = *store.asked;
    array.keep_shard_indexes(1 << 20);
    values(array, 0, size);
    auto const zeros = std::vector<std::uint8_t>(8);  // removed inner chunks: others stay in place
    writer.write(Box{{0, 8}}, zeros);
    asked.take();
    CHECK(values(array, 8, 20) == part(numbers(), 8, 20));
    CHECK(asked.take() == Texts{"a/c/0 0 + 8", "a/c/0 last 68", "a/c/1 0 + 4"});
    CHECK(values(array, 8, 20) == part(numbers(), 8, 20));
    CHECK(asked.take() == Texts{"a/c/0 0 + 8", "a/c/1 0 + 4"});
    writer.write(Box{{0, 16}}, std::vector<std::uint8_t>(16));  // all of it is erased
    asked.take();
    CHECK(values(array, 0, 10) == std::vector<std::uint8_t>(10));
    CHECK(asked.take() == Texts{"a/c/0 last 68"});
    CHECK(values(array, 0, 10) == std::vector<std::uint8_t>(10));
    CHECK(asked.take() == Texts{});
    writer.write(Box{{4, 8}}, part(numbers(), 4, 8));  // and exists again
    asked.take();
    CHECK(values(array, 4, 6) == part(numbers(), 4, 6));
    CHECK(asked.take() == Texts{"a/c/0 0 + 4", "a/c/0 last 68"});
  };
  {
    Remote const store;  // the copies of a handle know
    auto const array = four_shards(store);
    auto const copy = array;
    check(store, array, copy);
  }
  {
    Counting const store;  // all handles know, through the store
    auto const array = four_shards(store);
    check(store, array, open_array<std::uint8_t, 1>(store, "a"));
  }
}

TEST_CASE("who replaces a shard by other means is not noticed, until indexes are to be kept anew") {
  Remote const store;
  auto const array = four_shards(store);
  array.keep_shard_indexes(1 << 20);
  values(array, 0, 1);
  auto turned = test::value(store.values, "a/c/0");
  std::string const index = turned.substr(16), other = test::index_bytes({{12, 4}, {8, 4}, {4, 4}, {0, 4}});
  REQUIRE(other.size() == index.size());
  test::put(store.values, "a/c/0", turned.substr(0, 16) + other);
  CHECK(values(array, 0, 4) == part(numbers(), 0, 4));
  array.keep_shard_indexes(1 << 20);
  CHECK(values(array, 0, 4) == part(numbers(), 12, 16));
}

TEST_CASE("an index that could not be read is not kept") {
  Remote const store;
  auto const array = four_shards(store);
  array.keep_shard_indexes(1 << 20);
  auto const sound = test::value(store.values, "a/c/0");
  auto damaged = sound;
  damaged.back() = static_cast<char>(~damaged.back());
  test::put(store.values, "a/c/0", damaged);
  for (int i = 0; i < 2; ++i)
    test::check_refused<CodecError>([&] { values(array, 0, 1); },
                                    {"remote: key \"a/c/0\": the shard's index: codec crc32c"});
  test::put(store.values, "a/c/0", sound);
  CHECK(values(array, 0, 16) == part(numbers(), 0, 16));
}

namespace {

/// Calls a function before each read.
struct Hooked : Remote {
  std::shared_ptr<std::function<void(Key const&, ByteRange)>> hook =
      std::make_shared<std::function<void(Key const&, ByteRange)>>([](Key const&, ByteRange) {});
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  HostQueue& on) const {
    (*hook)(key, range);
    return Remote::read(key, range, destination, on);
  }
};

}  // namespace

TEST_CASE("an index that another thread reads is waited for, while others are read, and read if that thread fails") {
  for (bool fails : {false, true}) {
    CAPTURE(fails);
    Hooked const store;
    auto const array = four_shards(store);
    array.keep_shard_indexes(1 << 20);
    store.asked->take();
    std::atomic<bool> is_begun{false};
    std::promise<void> second_index;
    std::vector<std::uint8_t> found;
    std::thread other;
    *store.hook = [&](Key const& key, ByteRange range) {
      if (!range.from_end) return;
      if (key.path == "a/c/1") return second_index.set_value();
      if (is_begun.exchange(true)) return;
      other = std::thread{[&] { found = values(array, 12, 20); }};  // of both shards
      second_index.get_future().wait();
      if (fails) throw StoreError{"it is gone"};
    };
    if (fails)
      test::check_refused<StoreError>([&] { values(array, 0, 4); }, {"remote: key \"a/c/0\": it is gone"});
    else
      CHECK(values(array, 0, 4) == part(numbers(), 0, 4));
    other.join();
    CHECK(found == part(numbers(), 12, 20));
    Texts expected{"a/c/0 0 + 4", "a/c/0 12 + 4", "a/c/0 last 68", "a/c/1 0 + 4", "a/c/1 last 68"};
    if (fails) expected.erase(expected.begin());
    CHECK(store.asked->take() == expected);
  }
}

TEST_CASE("threads share the indexes that are kept, while shards are written") {
  Counting const store;
  auto const array = four_shards(store);
  array.keep_shard_indexes(300);  // not all of them
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int reader = 0; reader < 3; ++reader)
    threads.emplace_back([&, reader] {
      for (std::uint64_t i = 0; i < 300; ++i) {
        auto const at = i * 7 % 48;
        auto const found = values(array, at, at + 2);
        for (std::size_t k = 0; k < 2; ++k) wrong += found[k] != 0 && found[k] != at + k + 1;
        if (reader == 0 && i % 50 == 0) array.keep_shard_indexes(200 + i);
      }
    });
  threads.emplace_back([&] {
    for (std::uint64_t i = 0; i < 100; ++i) {
      auto const at = i * 12 % 36;
      array.write(Box{{at, at + 12}}, i % 2 ? part(numbers(), at, at + 12) : std::vector<std::uint8_t>(12));
    }
  });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("ranges of a shard that are close together are one read, within the limits") {
  Remote const store;
  auto const document = test::sharded_document("[16]", "[16]", test::Sharding{"[2]"}.list()).text();
  test::put(store, "a/zarr.json", document);
  // Eight chunks of two bytes: side by side, 1 and 10 bytes apart, backwards, and one far away.
  auto chunks = std::string(6000, '?');
  std::vector<ShardEntry> entries{{0, 2}, {2, 2}, {5, 2}, {17, 2}, {21, 2}, {19, 2}, {23, 2}, {5998, 2}};
  for (std::size_t i = 0; i < 8; ++i) chunks.replace(entries[i].offset, 2, 2, static_cast<char>('A' + i));
  test::put(store, "a/c/0", chunks + test::index_bytes(entries));
  auto const array = open_array<std::uint8_t, 1>(store, "a");
  array.keep_shard_indexes(1000);
  values(array, 0, 1);
  store.asked->take();

  auto const asked = [&](ReadOptions options) {
    auto const found = values(array, 0, 16, options);
    CHECK(std::string(found.begin(), found.end()) == "AABBCCDDEEFFGGHH");
    auto reads = store.asked->take();
    for (auto& read : reads) read.erase(0, std::string{"a/c/0 "}.size());
    return reads;
  };
  auto const options = [](std::optional<std::uint64_t> gap, std::uint64_t most = 0) {
    return ReadOptions{.mini_batch = every_chunk, .max_gap = gap, .max_request_bytes = most};
  };
  CHECK(asked(options({})) == Texts{"0 + 25", "5998 + 2"});
  CHECK(asked(options(5973)) == Texts{"0 + 6000"});
  CHECK(asked(options(5972)) == Texts{"0 + 25", "5998 + 2"});
  CHECK(asked(options(10)) == Texts{"0 + 25", "5998 + 2"});
  CHECK(asked(options(9)) == Texts{"0 + 7", "17 + 8", "5998 + 2"});
  CHECK(asked(options(1)) == Texts{"0 + 7", "17 + 8", "5998 + 2"});
  CHECK(asked(options(0)) == Texts{"0 + 4", "17 + 8", "5 + 2", "5998 + 2"});
  CHECK(asked(options({}, 25)) == Texts{"0 + 25", "5998 + 2"});
  CHECK(asked(options({}, 24)) == Texts{"0 + 23", "23 + 2", "5998 + 2"});
  CHECK(asked(options({}, 6)) == Texts{"0 + 4", "17 + 6", "23 + 2", "5 + 2", "5998 + 2"});
  CHECK(asked(options({}, 1)).size() == 8);
  CHECK(asked({.mini_batch = 1}).size() == 8);
  CHECK(asked({.mini_batch = 4}) == Texts{"0 + 19", "19 + 6", "5998 + 2"});
}

TEST_CASE("a range that begins beyond the shard's end is an error of its chunk, read with others or not") {
  for (std::uint64_t gap : {0u, 100'000u}) {
    Remote const store;
    auto const document = test::sharded_document("[4, 4]", "[4, 4]", test::Sharding{"[2, 2]"}.list()).text();
    test::put(store, "a/zarr.json", document);
    auto bytes = test::ShardBytes{};
    test::put(store, "a/c/0/0", bytes.set(2, 5000, 4).text());
    auto const array = open_array<std::uint8_t, 2>(store, "a");
    ReadOptions const options{.max_gap = gap, .max_request_bytes = 90'000};
    for (auto const& rows : {Slice{0, 4}, Slice{2, 4}})
      test::check_refused<StoreError>(
          [&] {
            array.read(Box{rows, {0, 2}}, options);
          },
          {"key \"a/c/0/0\": inner chunk [1, 0]: ", "begins at byte 5000"});
  }
}

TEST_CASE(
    "an inner shard's index that begins beyond the shard's end is an error of its chunk, read with others or not") {
  for (std::uint64_t most : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{90'000}}) {  // the whole, apart, joined
    Remote const store;
    test::Sharding outer{"[2, 2]"}, inner{"[1, 2]"};
    outer.codecs = inner.list();
    test::put(store, "a/zarr.json", test::sharded_document("[4, 4]", "[4, 4]", outer.list()).text());
    auto const first = "AABB" + test::index_bytes({{0, 2}, {2, 2}});
    auto const none = ShardEntry::none;
    auto const index = test::index_bytes({{0, first.size()}, {5000, first.size()}, {none, none}, {none, none}});
    test::put(store, "a/c/0/0", first + index);
    auto const array = open_array<std::uint8_t, 2>(store, "a");
    ReadOptions const options{.max_gap = 100'000, .max_request_bytes = most};
    test::check_refused<StoreError>([&] { array.read(all, options); },
                                    {"key \"a/c/0/0\": inner chunk [0, 1]: ", "begins at byte 5004"});
  }
}

TEST_CASE("a shard of which every chunk is wanted is one read, and its index is out of the same bytes") {
  Remote const store;
  auto const array = four_shards(store);
  auto& asked = *store.asked;
  asked.take();
  ReadOptions const together{.mini_batch = every_chunk};
  CHECK(values(array, 0, size, together) == numbers());  // the last shard has one chunk, of two elements
  CHECK(asked.take() == Texts{"a/c/0", "a/c/1", "a/c/2", "a/c/3"});
  CHECK(values(array, 2, 30, together) == part(numbers(), 2, 30));  // some of each chunk
  CHECK(asked.take() == Texts{"a/c/0", "a/c/1"});
  CHECK(values(array, 4, 40, together) == part(numbers(), 4, 40));
  CHECK(asked.take() == Texts{"a/c/0 4 + 12", "a/c/0 last 68", "a/c/1", "a/c/2 0 + 8", "a/c/2 last 68"});
  CHECK(values(array, 0, size, {.mini_batch = 3}) == numbers());  // no large one is in one mini-batch
  CHECK(std::ranges::count_if(asked.take(), [](auto const& read) { return read.ends_with("last 68"); }) == 3);

  std::uint64_t const all_of_it = 68 + 16;
  CHECK(values(array, 0, 16, {.mini_batch = 4, .max_request_bytes = all_of_it}) == part(numbers(), 0, 16));
  CHECK(asked.take() == Texts{"a/c/0"});
  CHECK(values(array, 0, 16, {.mini_batch = 4, .max_request_bytes = all_of_it - 1}) == part(numbers(), 0, 16));
  CHECK(asked.take() == Texts{"a/c/0 0 + 16", "a/c/0 last 68"});

  array.keep_shard_indexes(1 << 20);  // after whole reads, too
  values(array, 0, 16, together);
  asked.take();
  values(array, 0, 3);
  CHECK(asked.take() == Texts{"a/c/0 0 + 4"});
}

TEST_CASE("whole shards that are missing, have holes, or have more in them than anybody needs") {
  Remote const store;
  auto const array = four_shards(store);
  auto& asked = *store.asked;
  auto const expected = [&](std::string const& chunks, std::vector<ShardEntry> const& entries) {
    test::put(store.values, "a/c/0", chunks + test::index_bytes(entries));
    asked.take();
    auto const found = values(array, 0, 16, {.mini_batch = 4});
    return std::string(found.begin(), found.end());
  };
  auto const none = ShardEntry::none;
  CHECK(expected("ccccaaaa", {{4, 4}, {none, none}, {0, 4}, {0, 4}}) == "aaaa" + std::string(4, '\0') + "cccccccc");
  CHECK(asked.take() == Texts{"a/c/0"});
  CHECK(expected("aaaa" + std::string(100, '?'), {{0, 4}, {0, 4}, {50, 4}, {0, 4}}) == "aaaaaaaa????aaaa");
  CHECK(asked.take() == Texts{"a/c/0", "a/c/0 0 + 54", "a/c/0 last 68"});  // it is not cached once its size is known
  store.values.erase({"a/c/0"}, array.untyped().queue());
  asked.take();
  CHECK(values(array, 0, 16, {.mini_batch = 4}) == std::vector<std::uint8_t>(16));
  CHECK(asked.take() == Texts{"a/c/0"});
}

TEST_CASE("mini-batches that nobody has a wish for hold whole shards, where these are small") {
  Remote const store;
  HostQueue const on{2};
  auto const array =
      create_array<std::uint8_t, 1>(store, "a", {.shape = {40'000}, .chunks = {400}}, P{Shards{{8}}}, on);
  array.fill(all, 3);
  store.asked->take();
  auto const found = array.read(all);
  CHECK(found.elements().back() == 3);
  auto const reads = store.asked->take();
  CHECK(reads.size() == 100);
  CHECK(std::ranges::find(reads, "a/c/99") != reads.end());
}

}  // namespace shard_reads_tests
