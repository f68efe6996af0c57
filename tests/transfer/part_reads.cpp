// The bytes requested of a chunk if only part of it is wanted, and the errors noticed in the rest.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_array.hpp>
#include <support/random_selection.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <support/shard_bytes.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/with/all.hpp>

namespace part_reads_tests {

using namespace tessera;
using test::check_refused;
using test::HostQueue;
using test::Remote;
using Texts = std::vector<std::string>;

namespace {

constexpr std::uint64_t n = 40, half = 20;  // elements of an array and of its chunks, along each axis
constexpr std::uint64_t plane = half * half * 2, chunk = half * plane;  // bytes, of 16-bit elements

/// Answers many requests at once, as files do.
struct Files : Remote {
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  void get_many(std::span<ReadRequest<space::Host>> requests, HostQueue& on) const {
    ++*calls;
    for (auto& request : requests) request.size = read(*request.key, request.range, request.destination, on);
  }
};

/// One room after the other.
struct PingPong : Files {
  static constexpr bool reads_in_turn = true;
};

std::vector<std::uint16_t> numbers(std::size_t count = n * n * n) {
  std::vector<std::uint16_t> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<std::uint16_t>(i * 7 + i / 1000);
  return result;
}

/// `edge`: of the chunks, or of the shards if the pipeline has some.
template <class P = Pipeline<space::Host, codec::Bytes>, class S>
auto cube(S const& store, P const& pipeline = {}, std::uint64_t edge = half, HostQueue on = HostQueue{1}) {
  auto const array =
      create_array<std::uint16_t, 3>(store, "a", {.shape = {n, n, n}, .chunks = {edge, edge, edge}}, pipeline, on);
  array.write(all, numbers());
  return array;
}

/// A region's elements, and whether they equal those written.
template <class Array>
void check_read(Array const& array, Box const& box, ReadOptions const& options = {}) {
  auto const region = box.resolve(Extents{n, n, n});
  std::vector<std::uint16_t> found(test::size_of(region.count));
  array.read(box, found, options);
  CHECK(test::memory_of(found) == test::picked(test::memory_of(numbers()), {n, n, n}, 2, region));
}

Texts of_four(std::string const& what, std::string const& first = "a/c/1/") {
  Texts result;
  for (auto const* place : {"0/0", "0/1", "1/0", "1/1"}) result.push_back(first + place + what);
  return result;
}

using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
using Sharded = Pipeline<space::Host, Shards>;

}  // namespace

TEST_CASE("of chunks that are stored as they are the bytes from the first element to the last one are read") {
  Remote const store;
  auto const array = cube(store);
  auto& asked = *store.asked;
  asked.take();
  check_read(array, {{25, 27}, all, all});  // planes
  CHECK(asked.take() == of_four(to_text({" ", 5 * plane, " + ", 2 * plane})));
  check_read(array, {{25, 36, 5}, all, all});  // three of them, and the bytes between
  CHECK(asked.take() == of_four(to_text({" ", 5 * plane, " + ", 11 * plane})));
  check_read(array, {{25, 26}, {0, 20}, {3, 7}});  // columns of one
  CHECK(asked.take() == Texts{to_text({"a/c/1/0/0 ", 5 * plane + 6, " + ", (half * 19 + 4) * 2})});
  check_read(array, {25, 7, 9});  // an element
  CHECK(asked.take() == Texts{to_text({"a/c/1/0/0 ", 5 * plane + 7 * 40 + 18, " + 2"})});
  check_read(array, {{20, 40}, all, {0, 1}});  // far apart: reading all of it is as fast
  CHECK(asked.take() == Texts{"a/c/1/0/0", "a/c/1/1/0"});
  check_read(array, {{23, 40}, all, all});  // less than 4096 bytes are saved
  CHECK(asked.take() == of_four(""));

  std::vector<std::uint16_t> found(2 * n * n);
  array.read(Orthogonal{std::vector<std::uint64_t>{31, 24}, all, all}, found);
  CHECK(asked.take() == of_four(to_text({" ", 4 * plane, " + ", 8 * plane})));
  CHECK(found[5] == numbers()[31 * n * n + 5]);
  CHECK(found[n * n + 5] == numbers()[24 * n * n + 5]);
}

TEST_CASE("where something has to be decoded, or values are lent, chunks are whole") {
  Remote const store;
  auto const array = cube(store, Pipeline<space::Host, codec::Bytes, codec::Crc32c>{});
  store.asked->take();
  check_read(array, {{25, 27}, all, all});
  CHECK(store.asked->take() == of_four(""));

  Traffic traffic;
  check_read(cube(MemoryStore<HostBuffer>{}), {{25, 27}, all, all}, {.traffic = &traffic});
  CHECK(traffic.fetched == 4 * chunk);
}

TEST_CASE("part of a chunk that lies in memory as it is stored goes right there") {
  Remote const store;
  auto const array = create_array<std::uint16_t, 2>(store, "a", {.shape = {200, 100}, .chunks = {100, 100}},
                                                    Pipeline<space::Host, codec::Bytes>{}, HostQueue{1});
  array.write(all, numbers(20000));
  auto& asked = *store.asked;
  auto const rooms = [&](Box const& box, std::vector<std::uint16_t>& memory) {
    asked.destinations.clear();
    array.read(box, memory);
    auto const* const first = reinterpret_cast<std::byte*>(memory.data());
    std::vector<std::ptrdiff_t> places;
    for (auto const* room : asked.destinations)
      places.push_back(room >= first && room < first + memory.size() * 2 ? room - first : -1);
    return places;
  };
  std::vector<std::uint16_t> memory(70 * 100);
  CHECK(rooms({{60, 130}, all}, memory) == std::vector<std::ptrdiff_t>{0, 8000});
  CHECK(memory.front() == numbers(20000)[6000]);
  CHECK(memory.back() == numbers(20000)[12999]);
  memory.resize(3 * 100);
  CHECK(rooms({{60, 90, 10}, all}, memory) == std::vector<std::ptrdiff_t>{-1});  // with the bytes between
  CHECK(memory[100] == numbers(20000)[7000]);
  memory.resize(3 * 50);
  CHECK(rooms({{60, 63}, {0, 50}}, memory) == std::vector<std::ptrdiff_t>{-1});
}

TEST_CASE("of chunks in shards too, where a request more costs little") {
  auto const in_shards = Sharded{Shards{{half, half, half}}};
  {
    Files const store;
    auto const array = cube(store, in_shards, n);
    array.keep_shard_indexes(1 << 20);
    auto& asked = *store.asked;
    check_read(array, {{0, 1}, {0, 1}, {0, 1}});  // the index
    asked.take();
    check_read(array, {{25, 27}, all, all});
    Texts expected;
    for (std::uint64_t i = 4; i < 8; ++i)
      expected.push_back(to_text({"a/c/0/0/0 ", i * chunk + 5 * plane, " + ", 2 * plane}));
    std::ranges::sort(expected);
    CHECK(asked.take() == expected);
  }
  {
    Files const store;  // all chunks of a shard, in part: it is not read as a whole
    auto const array = cube(store, Sharded{Shards{{half, half, half}}}, n);
    store.asked->take();
    check_read(array, {{18, 22}, all, all}, {.mini_batch = every_chunk});
    CHECK(store.asked->take().size() == 1 + 8);
  }
  {
    Remote const store;  // one request for all of them, not one for each
    auto const array = cube(store, in_shards, n);
    array.keep_shard_indexes(1 << 20);
    check_read(array, {{0, 1}, {0, 1}, {0, 1}});
    store.asked->take();
    check_read(array, {{25, 27}, all, all}, {.mini_batch = every_chunk});
    CHECK(store.asked->take() == Texts{to_text({"a/c/0/0/0 ", 4 * chunk, " + ", 4 * chunk})});
  }
}

TEST_CASE("files: what is read of a slab is counted, and is right whatever the pipeline makes of the layout") {
  test::TemporaryFolder const folder;
  auto const fetched = [&](std::string const& name, auto const& pipeline, std::uint64_t edge = half) {
    Traffic traffic;
    auto const array = cube(LocalStore<HostBuffer>{folder / name}, pipeline, edge, HostQueue{2});
    check_read(array, {{18, 22}, all, all}, {.traffic = &traffic});
    check_read(array, {all, {18, 22}, all});
    check_read(array, {all, all, {18, 22}});
    check_read(array, {{1, 40, 7}, {3, 30, 3}, {19, 21}});
    return traffic.fetched.load();
  };
  CHECK(fetched("plain", Pipeline<space::Host, codec::Bytes>{}) == 8 * 2 * plane);
  CHECK(fetched("big", Pipeline<space::Host, codec::Bytes>{codec::Bytes{std::endian::big}}) == 8 * 2 * plane);
  CHECK(fetched("planes are columns",
                Pipeline<space::Host, codec::Transpose, codec::Bytes>{codec::Transpose{{2, 1, 0}}, {}}) == 8 * chunk);
  CHECK(fetched("rows are columns", Pipeline<space::Host, codec::Transpose, codec::Bytes>{codec::Transpose{{0, 2, 1}},
                                                                                          {}}) == 8 * 2 * plane);
  CHECK(fetched("sharded", Sharded{Shards{{half, half, half}}}, n) == 8 * 2 * plane);
}

TEST_CASE("a chunk that is larger than the cache is placed in tiles, each while it is there, of one value") {
  constexpr std::uint64_t rows = 1200, columns = 1500, row = 2000;  // chunks of 1200 x 1000
  auto const elements = numbers(rows * columns);
  auto const image = [&](auto const& store, auto const& pipeline, std::uint64_t width) {
    auto const array = create_array<std::uint16_t, 2>(
        store, "a", {.shape = {rows, columns}, .chunks = {rows, width}}, pipeline, HostQueue{1});
    array.write(all, elements);
    return array;
  };
  std::vector<std::uint16_t> found(rows * columns);
  auto const tiles = [&](std::string const& key, std::uint64_t first) {
    return Texts{to_text({key, " ", first, " + ", 524 * row}), to_text({key, " ", first + 524 * row, " + ", 524 * row}),
                 to_text({key, " ", first + 1048 * row, " + ", 152 * row})};
  };
  PingPong const store;
  auto& asked = *store.asked;
  auto const array = image(store, Pipeline<space::Host, codec::Bytes>{}, 1000);
  asked.take();
  asked.destinations.clear();
  *store.calls = 0;
  Traffic traffic;
  array.read(all, found, {.traffic = &traffic});
  CHECK(found == elements);
  auto const reads = asked.take();
  REQUIRE(reads.size() == 6);  // half of the columns of the second chunk are requested
  CHECK(Texts{reads.begin(), reads.begin() + 3} == tiles("a/c/0/0", 0));
  CHECK(*store.calls == 2);  // one for each chunk: one value
  std::ranges::sort(asked.destinations);
  CHECK(asked.destinations.front() == asked.destinations.back());
  CHECK(traffic.chunks == 2);
  CHECK(traffic.missing == 0);
  CHECK(traffic.placed == elements.size() * 2);

  std::vector<std::uint16_t> every_third(400 * 1000);
  array.read({{1, 1200, 3}, {0, 1000}}, every_third);
  CHECK(every_third[2 * 1000 + 7] == elements[7 * columns + 7]);
  CHECK(every_third.back() == elements[1198 * columns + 999]);
  CHECK(asked.take().size() == 3);

  // Elements that would be scattered one by one, if they were taken row by row.
  ArrayView<std::uint16_t, 2> turned{found.data(), {rows, columns}, {}};
  turned.strides[0] = 1, turned.strides[1] = rows;
  array.read(all, turned);
  CHECK(found[5 * rows + 9] == elements[9 * columns + 5]);
  CHECK(asked.take().size() == 2);

  store.values.erase(Key{"a/c/0/0"}, *std::make_unique<HostQueue>());
  Traffic missing;
  array.read(all, found, {.traffic = &missing});
  CHECK(found[7] == 0);
  CHECK(found[rows * columns - 1] == elements.back());
  CHECK(missing.chunks == 2);
  CHECK(missing.missing == 1);

  PingPong const sharded;
  auto const inner = image(sharded, Sharded{Shards{{rows, 1000}}}, 2000);
  sharded.asked->take();
  inner.read(all, found, {.mini_batch = 1});
  CHECK(found == elements);
  auto const in_shard = sharded.asked->take();
  REQUIRE(in_shard.size() == 7);  // and the index
  CHECK(std::ranges::includes(in_shard, tiles("a/c/0/0", 0)));
}

TEST_CASE("tiles of a file that is cut off are errors and not elements") {
  constexpr std::uint64_t rows = 1200, columns = 1500;
  test::TemporaryFolder const folder;
  auto const array = create_array<std::uint16_t, 2>(LocalStore<HostBuffer>{folder / "store"}, "a",
                                                    {.shape = {rows, columns}, .chunks = {rows, 1000}},
                                                    Pipeline<space::Host, codec::Bytes>{}, HostQueue{1});
  auto const elements = numbers(rows * columns);
  array.write(all, elements);
  std::vector<std::uint16_t> found(elements.size());
  array.read(all, found);
  CHECK(found == elements);
  std::filesystem::resize_file(folder / "store/a/c/0/0", 2000 * 600);
  check_refused<StoreError>([&] { array.read(all, found); },
                            {"key \"a/c/0/0\"", "a value of 1200000 bytes, expected 2400000"});
}

TEST_CASE("every kind of selection of large chunks that are stored as they are") {
  test::Random random{81};
  auto const check = [&]<class... Codecs>(auto const& store, std::type_identity<Codecs>...) {
    test::ArrayContent content{test::random_type(random), {9, 37, 41}, {8, 20, 25}, {}};
    auto const item = content.type.size;
    content.elements = test::random_elements(random, test::size_of(content.shape) * item, content.type);
    test::write_array(store, "a", content, test::random_codec<Codecs>(random, 3)...);
    auto const array = open_any<Pipeline<space::Host, Codecs...>>(store, "a", HostQueue{random(1, 2)});
    for (int round = 0; round < 20; ++round) {
      auto const selection = test::random_selection(random, content.shape, content.chunk_shape);
      CAPTURE(selection.kind);
      auto const at = test::random_memory(random, selection.selected.shape, item, false);
      auto memory = test::random_elements(random, at.size, content.type);
      auto expected = memory;
      test::for_each_selected(selection, content.shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(content.elements.data() + element, item, expected.data() + place);
      });
      array.read(selection.selected, {memory.data() + at.first, at.strides});
      CHECK(memory == expected);
    }
  };
  using ToBytes = std::type_identity<codec::Bytes>;
  using Transpose = std::type_identity<codec::Transpose>;
  for (int i = 0; i < 6; ++i) {
    test::TemporaryFolder const folder;
    check(LocalStore<HostBuffer>{folder / "store"}, ToBytes{});
    check(LocalStore<HostBuffer>{folder / "transposed"}, Transpose{}, ToBytes{});
    check(Remote{}, Transpose{}, Transpose{}, ToBytes{});
  }
}

TEST_CASE("a value that is no chunk is an error where the store sees its size, whatever is read of it") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const files{folder / "store"};
  auto const name = folder / "store/a/c/1/0/0";
  auto const check = [&](auto const& array) {
    std::vector<std::uint16_t> found(2 * half * half);
    for (std::uint64_t size : {std::uint64_t{0}, 3 * plane, chunk - 1, chunk + 1}) {
      std::filesystem::resize_file(name, size);
      auto const what = to_text({"a value of ", size, " bytes, expected ", chunk});
      for (std::uint64_t first : {20u, 30u, 38u})
        check_refused<StoreError>(
            [&] {
              array.read({{first, first + 2}, {0, half}, {0, half}}, found);
            },
            {"key \"a/c/1/0/0\"", what.c_str()});
    }
    std::filesystem::resize_file(name, chunk);
    array.read({{20, 22}, {0, half}, {0, half}}, found);
  };
  check(cube(files));
  auto const below = PrefixStore{LocalStore<HostBuffer>{folder / "store"}, "a"};
  check(open_array<std::uint16_t, 3>(below, ""));
}

TEST_CASE("of a value in a store that tells no sizes what was not read is not noticed, and what is missing is") {
  Remote const store;
  auto const array = cube(store);
  auto const sound = test::value(store.values, "a/c/1/0/0");
  std::vector<std::uint16_t> found(2 * half * half);
  auto const read = [&](std::uint64_t first) { array.read({{first, first + 2}, {0, half}, {0, half}}, found); };
  test::put(store.values, "a/c/1/0/0", sound.substr(0, 7 * plane - 1));
  read(20);
  CHECK(found[0] == numbers()[20 * n * n]);
  check_refused<CodecError>([&] { read(25); }, {"key \"a/c/1/0/0\"", "found 1599 bytes of elements, expected 1600"});
  check_refused<StoreError>([&] { read(30); }, {"key \"a/c/1/0/0\"", "begins at byte 8000"});
  test::put(store.values, "a/c/1/0/0", sound + "more");
  read(20);
  CHECK(found[0] == numbers()[20 * n * n]);
  check_refused<CodecError>([&] { check_read(array, all); }, {"key \"a/c/1/0/0\"", "a chunk of 16004 bytes"});
}

TEST_CASE("an inner chunk of another size than its elements is an error, whatever is read of it") {
  Files const store;
  auto const array = cube(store, Sharded{Shards{{half, half, half}}}, n);
  auto const sound = test::value(store.values, "a/c/0/0/0");
  std::vector<ShardEntry> entries;
  for (std::uint64_t i = 0; i < 8; ++i) entries.push_back({i * chunk, chunk});
  REQUIRE(sound.substr(8 * chunk) == test::index_bytes(entries));
  std::vector<std::uint16_t> found(2 * half * half);
  for (std::uint64_t size : {2 * plane, chunk - 1}) {
    entries[4].size = size;
    test::put(store.values, "a/c/0/0/0", sound.substr(0, 8 * chunk) + test::index_bytes(entries));
    auto const what = to_text({"found ", size, " bytes of elements, expected ", chunk});
    check_refused<CodecError>(
        [&] {
          array.read({{20, 22}, {0, half}, {0, half}}, found);
        },
        {"inner chunk [1, 0, 0]", "key \"a/c/0/0/0\"", what.c_str()});
    array.read({{20, 22}, {half, n}, {0, half}}, found);  // another one does not change that
  }
}

}  // namespace part_reads_tests
