// read_boxes: many boxes of one shape, compared with a read of each.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_array.hpp>
#include <support/random_boxes.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <support/temporary_folder.hpp>
#include <support/written_array.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/core/types/record.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

namespace read_boxes_tests {

struct __attribute__((packed)) Voxel {
  std::int16_t tissue;
  std::uint8_t flags;
  double value;
  friend bool operator==(Voxel const& a, Voxel const& b) {
    return a.tissue == b.tissue && a.flags == b.flags && a.value == b.value;
  }
};

}  // namespace read_boxes_tests

using read_boxes_tests::Voxel;
template <>
struct tessera::element_traits<Voxel>
    : tessera::record<Voxel, tessera::member<"tissue", &Voxel::tissue>, tessera::member<"flags", &Voxel::flags>,
                      tessera::member<"value", &Voxel::value>> {};

namespace read_boxes_tests {

using namespace tessera;
using test::check_refused, test::HostQueue, test::Random;
using Memory = MemoryStore<HostBuffer>;
using Shards = codec::Sharding<Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>>;

namespace {

/// Elements that differ from each other and from the fill value.
template <class T>
T element_of(std::uint64_t i) {
  if constexpr (std::same_as<T, Voxel>)
    return {static_cast<std::int16_t>(i), static_cast<std::uint8_t>(i * 7), static_cast<double>(i) / 3};
  else
    return static_cast<T>(i * 5 + 1);
}

template <std::size_t Rank>
NewArray<int> random_new_array(Random& random) {
  std::uint64_t const most[] = {1, 60, 20, 12, 8};
  NewArray<int> made{.shape = random.extents(Rank, 1, most[Rank])};
  made.chunks = random.extents(Rank, 1, most[Rank] / 3);
  return made;
}

/// Boxes of any shapes, each in memory of its own, whose axes are in another order.
template <std::size_t Rank, class A>
void check_each_in_its_memory(A const& array, Random& random, ReadOptions const& options) {
  using T = typename A::element_type;
  auto const boxes = test::random_boxes_of_any_shape(random, array.shape(), random(0, 7));
  std::vector<std::vector<T>> memories;
  std::vector<ArrayView<T, Rank>> views;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    auto const shape = boxes.shape(i, array.shape());
    auto& memory = memories.emplace_back(test::size_of(shape) + 1, element_of<T>(99));
    auto& view = views.emplace_back(ArrayView<T, Rank>::c_order(memory.data(), shape));
    std::int64_t stride = 1;
    for (auto const d : random.permutation(Rank)) {
      view.strides[d] = stride;
      stride *= static_cast<std::int64_t>(std::max<std::uint64_t>(shape[d], 1));
    }
  }
  read_boxes(array, boxes.list(), views, options);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    auto const some = boxes.some(i, 1);
    auto const one = array.read(some.boxes[0]);
    auto const expected = some.turned(std::vector<T>(one.begin(), one.end()), array.shape());
    std::size_t at = 0;
    test::for_each_index(boxes.shape(i, array.shape()), [&](Extents const& index) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < Rank; ++d) offset += views[i].strides[d] * static_cast<std::int64_t>(index[d]);
      wrong += !(views[i].data[offset] == expected[at++]);
    });
    wrong += !(memories[i].back() == element_of<T>(99));
  }
  CHECK(wrong == 0);
}

/// One array, of which some chunks are missing, and several calls of every kind.
template <class T, std::size_t Rank, class P, class S>
void check_boxes(S const& store, P const& pipeline, NewArray<int> const& drawn, Random& random) {
  HostQueue const on{random(1, 3)};
  NewArray<T> made{.shape = drawn.shape, .shards = drawn.shards, .chunks = drawn.chunks, .fill = element_of<T>(77)};
  made.format = drawn.format;
  auto const array = create_array<T, Rank>(store, "a", made, pipeline, on);
  auto const written = test::random_boxes(random, array.shape(), 3);
  for (auto const& box : written) {
    std::vector<T> elements(test::size_of(box.resolve(array.shape()).count));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = element_of<T>(i);
    array.write(box, elements);
  }
  for (int round = 0; round < 4; ++round) {
    auto const drawn = test::random_oriented_boxes(random, array.shape(), random(1, 9));
    auto const boxes = drawn.list();
    auto const options = test::random_options<ReadOptions>(random, 1 << 20);
    auto const found = read_boxes(array, boxes, options);
    auto const count = drawn.shape(0, array.shape());
    std::vector<T> expected;
    for (auto const& box : drawn.boxes) {
      auto const one = array.read(box);
      expected.insert(expected.end(), one.begin(), one.end());
    }
    expected = drawn.turned(expected, array.shape());
    CHECK(found.shape()[0] == boxes.size());
    CHECK(std::ranges::equal(std::span{found.shape().begin(), Rank + 1}.subspan(1), count));
    CHECK(std::ranges::equal(found, expected));

    std::vector<T> memory(expected.size() + 2, element_of<T>(99));
    read_boxes(array, boxes, std::span{memory}.subspan(1, expected.size()), options);
    CHECK(std::equal(expected.begin(), expected.end(), memory.begin() + 1));
    CHECK(memory.front() == element_of<T>(99));
    CHECK(memory.back() == element_of<T>(99));

    // Memory whose axes are in another order, and which runs backwards along some.
    ArrayView<T, Rank + 1> view{memory.data() + 1, {}, {}};
    std::int64_t stride = 1;
    for (auto const d : random.permutation(Rank + 1)) {
      view.shape[d] = found.shape()[d];
      view.strides[d] = stride;
      stride *= static_cast<std::int64_t>(found.shape()[d]);
      if (expected.empty() || !random.one_in(2)) continue;
      view.data += view.strides[d] * static_cast<std::int64_t>(view.shape[d] - 1);
      view.strides[d] = -view.strides[d];
    }
    read_boxes(array, boxes, view, options);
    std::size_t wrong = 0, i = 0;
    test::for_each_index(found.shape(), [&](Extents const& at) {
      auto const* element = view.data;
      for (std::size_t d = 0; d <= Rank; ++d) element += static_cast<std::int64_t>(at[d]) * view.strides[d];
      wrong += !(*element == expected[i++]);
    });
    CHECK(wrong == 0);
    check_each_in_its_memory<Rank>(array, random, options);
  }
}

template <class T, std::size_t Rank>
void check_formats(std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  auto made = random_new_array<Rank>(random);
  codec::Bytes const big{test::other_endian};
  codec::Transpose const transpose{random.permutation(Rank)};
  check_boxes<T, Rank>(Memory{}, Pipeline<space::Host, codec::Bytes>{big}, made, random);
  check_boxes<T, Rank>(test::Remote{}, Pipeline<space::Host, codec::Bytes>{}, made, random);
  check_boxes<T, Rank>(Memory{}, Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>{transpose, big, {}},
                       made, random);
  made.format = ZarrFormat::v2;
  check_boxes<T, Rank>(Memory{}, Pipeline<space::Host, codec::Bytes, codec::Zstd>{}, made, random);
  made.format = ZarrFormat::v3;
  made.shards = made.chunks;
  for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 4);
  auto const inner = made.chunks;
  made.chunks = {};
  Shards const shards{inner, Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>{transpose, big, {}}};
  check_boxes<T, Rank>(Memory{}, Pipeline<space::Host, Shards>{shards}, made, random);
  check_boxes<T, Rank>(test::Remote{}, Pipeline<space::Host, Shards>{shards}, made, random);
}

/// Counts the reads of each key and range.
struct CountingStore {
  struct Counts {
    std::mutex mutex{};
    std::map<std::string, int> reads{};
  };
  using buffer_type = HostBuffer;
  Memory inner{};
  std::shared_ptr<Counts> counts = std::make_shared<Counts>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  HostQueue& on) const {
    {
      std::lock_guard lock{counts->mutex};
      auto const name = to_text({key.path, " ", range.from_end ? "end" : "", range.offset});
      ++counts->reads[range.is_whole() ? key.path : name];
    }
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, HostQueue& on) const { inner.write(key, value, on); }
  bool erase(Key const& key, HostQueue& on) const { return inner.erase(key, on); }
};

std::vector<Box> cubes(std::uint64_t edge, std::vector<Extents> const& firsts) {
  std::vector<Box> boxes;
  for (auto const& first : firsts) {
    std::vector<Slice> slices;
    for (auto const n : first) slices.push_back({n, n + edge});
    boxes.emplace_back(std::move(slices));
  }
  return boxes;
}

/// The elements of each box, read one by one.
template <class Array>
auto one_by_one(Array const& array, std::vector<Box> const& boxes) {
  std::vector<typename Array::element_type> elements;
  for (auto const& box : boxes) {
    auto const one = array.read(box);
    elements.insert(elements.end(), one.begin(), one.end());
  }
  return elements;
}

template <class P = Pipeline<space::Host, codec::Bytes, codec::Zstd>, class S>
auto numbered(S const& store, Extents const& shape, Extents const& chunks, P const& pipeline = {},
              HostQueue on = HostQueue{2}) {
  auto const array = create_array<std::uint16_t, 2>(store, "a", {.shape = shape, .chunks = chunks}, pipeline, on);
  std::vector<std::uint16_t> elements(array.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint16_t>(i * 13);
  array.write(all, elements);
  return array;
}

}  // namespace

TEST_CASE("boxes in one call are what a read of each gives, of every rank, format and order") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    check_formats<std::uint8_t, 1>(seed);
    check_formats<std::int16_t, 2>(seed + 100);
    check_formats<float, 3>(seed + 200);
    check_formats<double, 4>(seed + 300);
    check_formats<Voxel, 2>(seed + 400);
  }
}

TEST_CASE("chunks larger than the cache, which come in tiles from files") {
  test::TemporaryFolder const folder;
  Random random{7};
  LocalStore<HostBuffer> const store{folder / ""};
  using Raw = Pipeline<space::Host, codec::Transpose, codec::Bytes>;
  auto const line = create_array<std::uint64_t, 1>(store, "line", {.shape = {2'000'000}, .chunks = {1'500'000}},
                                                   Pipeline<space::Host, codec::Bytes>{}, HostQueue{2});
  std::vector<std::uint64_t> elements(line.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = i;
  line.write(all, elements);
  for (Extents const& order : {Extents{0, 1, 2}, Extents{2, 1, 0}}) {
    auto const cube = create_array<std::uint64_t, 3>(
        store, "cube", {.shape = {80, 130, 150}, .chunks = {75, 130, 140}, .overwrite = true}, Raw{{order}, {}},
        HostQueue{2});
    cube.write(all, std::span{elements}.first(cube.size()));
    for (int round = 0; round < 6; ++round) {
      ReadOptions const options{.mini_batch = 1};
      auto const of_line = test::random_boxes(random, line.shape(), 3);
      CHECK(std::ranges::equal(read_boxes(line, of_line, options), one_by_one(line, of_line)));
      auto const of_cube = test::random_boxes(random, cube.shape(), 3);
      CHECK(std::ranges::equal(read_boxes(cube, of_cube, options), one_by_one(cube, of_cube)));
    }
  }
}

TEST_CASE("a chunk that several boxes want is fetched and decoded once") {
  CountingStore const store;
  auto const array = numbered(store, {40, 40}, {10, 10}, Pipeline<space::Host, codec::Bytes, codec::Zstd>{});
  auto const boxes = cubes(10, {{5, 5}, {6, 7}, {5, 5}, {0, 0}, {9, 9}, {30, 30}});
  for (auto const batch : {std::size_t{0}, std::size_t{1}, every_chunk}) {
    store.counts->reads.clear();
    Traffic traffic;
    std::uint64_t done = 0, of = 0;
    auto const found = read_boxes(array, boxes, {.mini_batch = batch,
                                                 .progress =
                                                     [&](std::uint64_t now, std::uint64_t count) {
                                                       CHECK(now > done);
                                                       done = now, of = count;
                                                     },
                                                 .traffic = &traffic});
    CHECK(store.counts->reads ==
          std::map<std::string, int>{{"a/c/0/0", 1}, {"a/c/0/1", 1}, {"a/c/1/0", 1}, {"a/c/1/1", 1}, {"a/c/3/3", 1}});
    CHECK(traffic.chunks == 5);
    CHECK(traffic.decoded == 5 * 200);
    CHECK(traffic.placed == 5 * 200);  // the last box is a chunk, which is decoded there
    CHECK(done == 5);
    CHECK(of == 5);
    CHECK(std::ranges::equal(found, one_by_one(array, boxes)));
  }
}

TEST_CASE("of shards each inner chunk and each index is fetched once, and shards follow each other") {
  CountingStore const store;
  auto const array = create_array<std::uint16_t, 2>(
      store, "a", {.shape = {32, 32}, .shards = {16, 16}},
      Pipeline<space::Host, Shards>{Shards{{4, 4}, {codec::Transpose{{1, 0}}, {}, {}}}}, HostQueue{1});
  std::vector<std::uint16_t> elements(array.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint16_t>(i * 13);
  array.write(all, elements);
  auto const boxes = cubes(6, {{1, 13}, {2, 14}, {13, 13}, {1, 13}, {3, 12}});
  store.counts->reads.clear();
  Traffic traffic;
  auto const found = read_boxes(array, boxes, {.max_gap = 0, .traffic = &traffic});
  CHECK(std::ranges::equal(found, one_by_one(array, boxes)));
  store.counts->reads.clear();
  (void)read_boxes(array, boxes, {.max_gap = 0});
  for (auto const& entry : store.counts->reads) {
    CAPTURE(entry.first);
    CHECK(entry.second == 1);
  }
  store.counts->reads.clear();
  (void)read_boxes(array, boxes);  // of each of four shards the index, and all chunks by one request
  int requests = 0;
  for (auto const& entry : store.counts->reads) requests += entry.second;
  CHECK(requests == 8);
  // Elements of rows 1 to 8 and 13 to 18, of columns 12 to 19.
  CHECK(traffic.chunks == 3 * 2 + 2 * 2);
  CHECK(traffic.decoded == traffic.chunks * 32);
  std::uint64_t last = 0;
  detail::BoxesInChunks listed;
  listed.resolve(boxes, array.shape(), {});
  listed.find_chunks({4, 4}, {4, 4}, 2);
  for (auto const& placed : listed.chunks()) {
    auto const shard = placed.chunk[0] / 4 * 2 + placed.chunk[1] / 4;
    CHECK(shard >= last);
    last = shard;
  }
  CHECK(last == 3);
}

TEST_CASE("of chunks that are stored as they are, the bytes from the first wanted element to the last are fetched") {
  test::Remote const store;
  auto const array = numbered(store, {200, 100}, {100, 100}, Pipeline<space::Host, codec::Bytes>{});
  store.asked->take();
  auto const boxes = cubes(20, {{10, 30}, {25, 40}});
  auto const found = read_boxes(array, boxes);
  CHECK(store.asked->take() == std::vector<std::string>{"a/c/0/0 2060 + 6860"});
  CHECK(std::ranges::equal(found, one_by_one(array, boxes)));
}

TEST_CASE("no boxes, and boxes without elements, read nothing") {
  CountingStore const store;
  auto const array = numbered(store, {8, 8}, {4, 4});
  store.counts->reads.clear();
  std::vector<Box> const none;
  CHECK(read_boxes(array, none).shape() == Extents{0, 0, 0});
  std::vector<std::uint16_t> memory;
  read_boxes(array, none, memory);
  ArrayView<std::uint16_t, 3> const view{nullptr, {0, 5, 6}, {1, 1, 1}};
  read_boxes(array, none, view);
  std::vector<Box> const empty{{{3, 3}, {0, 5}}, {{8, 8}, {2, 7}}};
  CHECK(read_boxes(array, empty).shape() == Extents{2, 0, 5});
  read_boxes(array, empty, memory);
  CHECK(store.counts->reads.empty());
}

TEST_CASE("an array without dimensions has boxes too") {
  Memory const store;
  auto const array = create_array<float, 0>(store, "a", {.shape = {}, .chunks = {}});
  array.write(all, std::vector<float>{2.5f});
  std::vector<Box> const boxes(3, Box(all));
  CHECK(std::ranges::equal(read_boxes(array, boxes), std::vector<float>(3, 2.5f)));
}

TEST_CASE("boxes far apart in an array that 64 bits cannot count") {
  Memory const store;
  constexpr auto n = std::uint64_t{1} << 60;
  auto const array = create_array<std::uint8_t, 3>(store, "a", {.shape = {n, n, n}, .chunks = {16, 16, 16}, .fill = 9});
  std::vector<std::uint8_t> const one{1};
  array.write({n / 2, 5, n - 1}, one);
  std::vector<Box> const boxes{{{0, n, n / 2}, 5, {0, 1}}, {{0, n, n / 2}, 5, {n - 1, n}}, {{7, 9}, 2, {3, 4}}};
  CHECK(std::ranges::equal(read_boxes(array, boxes), std::vector<std::uint8_t>{9, 9, 9, 1, 9, 9}));
}

TEST_CASE("bools are checked in every box") {
  Memory const store;
  auto const array = create_array<bool, 1>(store, "a", {.shape = {6}, .chunks = {3}},
                                           Pipeline<space::Host, codec::Bytes>{});
  test::put(store, "a/c/1", std::string{"\1\0\1", 3});
  std::vector<Box> const boxes{{{0, 4}}, {{2, 6}}};
  auto const found = read_boxes(array, boxes);
  CHECK(std::ranges::equal(found, std::vector<bool>{false, false, false, true, false, true, false, true}));
  test::put(store, "a/c/1", std::string{"\1\2\1", 3});
  check_refused<CodecError>([&] { (void)read_boxes(array, boxes); }, {"\"a/c/1\"", "expected 0 or 1 for a bool"});
}

TEST_CASE("a box that cannot be read is refused, naming it and the array") {
  Memory const store;
  auto const array = numbered(store, {8, 9}, {4, 4});
  auto const refused = [&](std::vector<Box> const& boxes, std::initializer_list<char const*> words) {
    check_refused<SelectionError>([&] { (void)read_boxes(array, boxes); }, words);
    std::vector<std::uint16_t> memory(4);
    check_refused<SelectionError>([&] { read_boxes(array, boxes, memory); }, words);
  };
  refused({{{0, 2}, {0, 2}}, {{3, 5}, {8, 10}}},
          {"\"a/zarr.json\": box 1: dimension 1: found 8:10:1", "stop <= 9"});
  refused({{{0, 2}, {0, 2}}, {{0, 2}, {0, 3}}},
          {"\"a/zarr.json\": box 1: found the shape [2, 3], expected [2, 2], that of box 0"});
  refused({{{0, 2}}}, {"\"a/zarr.json\": box 0: found 1 slices"});
  refused({{{0, 2}, {0, 2}}, {{0, 2}, {0, 2}}, {1, {0, 2}, {1, 3}}}, {"\"a/zarr.json\": box 2: found 3 slices"});
}

TEST_CASE("memory of another shape is refused, naming the array") {
  Memory const store;
  auto const array = numbered(store, {8, 9}, {4, 4});
  auto const boxes = cubes(2, {{0, 0}, {1, 5}});
  std::vector<std::uint16_t> memory(9);
  check_refused<SelectionError>([&] { read_boxes(array, boxes, memory); },
                                {"\"a/zarr.json\"", "the memory holds 9 elements, expected 8"});
  ArrayView<std::uint16_t, 3> const view{memory.data(), {2, 2, 1}, {2, 1, 1}};
  check_refused<SelectionError>([&] { read_boxes(array, boxes, view); },
                                {"\"a/zarr.json\"", "shape is [2, 2, 1], expected [2, 2, 2]"});
  std::vector<Box> const none;
  check_refused<SelectionError>([&] { read_boxes(array, none, view); }, {"shape is [2, 2, 1], expected [0, 2, 1]"});
  ArrayView<std::uint16_t, 3> const without_strides{memory.data(), {2, 2, 2}};
  check_refused<SelectionError>([&] { read_boxes(array, boxes, without_strides); },
                                {"\"a/zarr.json\": the memory's stride along dimension 0 is 0"});
}

TEST_CASE("boxes of different shapes: a chunk is decoded once for all, and memory that does not fit is refused") {
  CountingStore const store;
  auto const array = numbered(store, {40, 40}, {10, 10});
  std::vector<Box> const boxes{{{0, 10}, {0, 10}}, {{5, 8}, {5, 12}}, {{9, 40, 10}, {3, 4}}, {{3, 3}, {0, 5}}};
  std::vector<std::vector<std::uint16_t>> memories{
      std::vector<std::uint16_t>(100), std::vector<std::uint16_t>(21), std::vector<std::uint16_t>(4), {}};
  store.counts->reads.clear();
  Traffic traffic;
  read_boxes(array, boxes, memories, {.traffic = &traffic});
  CHECK(store.counts->reads ==
        std::map<std::string, int>{{"a/c/0/0", 1}, {"a/c/0/1", 1}, {"a/c/1/0", 1}, {"a/c/2/0", 1}, {"a/c/3/0", 1}});
  CHECK(traffic.placed == 2 * (100 + 21 + 4));
  for (std::size_t i = 0; i < boxes.size(); ++i) CHECK(std::ranges::equal(memories[i], array.read(boxes[i])));
  std::vector<OwnedArray<std::uint16_t, 2, HostBuffer>> arrays;
  for (Extents const& shape : {Extents{10, 10}, Extents{3, 7}, Extents{4, 2}, Extents{0, 5}})
    arrays.emplace_back(shape, array.queue());
  check_refused<SelectionError>([&] { read_boxes(array, boxes, arrays); },
                                {"\"a/zarr.json\": box 2: the memory's shape is [4, 2], expected [4, 1]"});
  memories.pop_back();
  check_refused<SelectionError>([&] { read_boxes(array, boxes, memories); },
                                {"found 3 memories, expected 4, one for each box"});
  std::vector<ArrayView<std::uint16_t, 2>> without_strides;
  for (auto& one : arrays) std::ranges::fill(without_strides.emplace_back(one.view()).strides, 0);
  check_refused<SelectionError>([&] { read_boxes(array, boxes, without_strides); },
                                {"\"a/zarr.json\": box 0: the memory's stride along dimension 0 is 0"});
}

TEST_CASE("orientations: what numpy gives, each chunk still once; what is none is refused, with the box") {
  Memory const store;
  auto const array = numbered(store, {4, 6}, {3, 2});
  std::vector<Box> const boxes{{{0, 2}, {1, 4}}, {{1, 4}, {0, 2}}};
  std::vector<Orientation> const turned{{.flip = {1}}, {.flip = {0}, .axes = {1, 0}}};
  Traffic traffic;
  auto const found = read_boxes(array, {boxes, turned}, {.traffic = &traffic});
  CHECK(found.shape() == Extents{2, 2, 3});
  for (auto const& [at, element] : std::vector<std::pair<Extents, int>>{
           {{0, 0, 0}, 3}, {{0, 0, 2}, 1}, {{0, 1, 1}, 8}, {{1, 0, 0}, 18}, {{1, 0, 2}, 6}, {{1, 1, 0}, 19}})
    CHECK(found(at[0], at[1], at[2]) == element * 13);
  CHECK(traffic.chunks == 3);
  auto const refused = [&](std::vector<Orientation> const& given, std::initializer_list<char const*> words) {
    check_refused<SelectionError>([&] { (void)read_boxes(array, {boxes, given}); }, words);
  };
  refused({{}, {}}, {"\"a/zarr.json\": box 1: found the shape [3, 2], expected [2, 3], that of box 0"});
  refused({{}}, {"found 1 orientations, expected 2, one for each box"});
  refused({{}, {.flip = {2}}}, {"box 1: found flip = [2], expected dimensions of 2, each once"});
  refused({{.flip = {0, 0}}, {}}, {"box 0: found flip = [0, 0]"});
  refused({{.axes = {1}}, {}}, {"box 0: found axes = [1], expected the first of 2 dimensions, each once"});
  refused({{.axes = {0, 0}}, {}}, {"box 0: found axes = [0, 0]"});
  refused({{.axes = {0, 1, 2}}, {}}, {"box 0: found axes = [0, 1, 2]"});
}

TEST_CASE("a damaged chunk is named, and the next call reads on") {
  Memory const store;
  auto const array = numbered(store, {20, 20}, {5, 5});
  auto const boxes = cubes(6, {{0, 0}, {3, 9}, {12, 12}});
  auto const expected = one_by_one(array, boxes);
  auto const good = test::value(store, "a/c/1/2");
  test::put(store, "a/c/1/2", "damaged");
  std::vector<std::uint16_t> memory(expected.size());
  check_refused<CodecError>([&] { read_boxes(array, boxes, memory); }, {"store", "\"a/c/1/2\"", "codec zstd"});
  test::put(store, "a/c/1/2", good);
  read_boxes(array, boxes, memory);
  CHECK(memory == expected);
}

TEST_CASE("a call that is told to stop ends with Cancelled, at any mini-batch") {
  Memory const store;
  auto const array = numbered(store, {40, 40}, {4, 4});
  auto const boxes = cubes(20, {{0, 0}, {3, 9}, {12, 12}});
  auto const expected = one_by_one(array, boxes);
  for (std::uint64_t at = 0; at < 20; ++at) {
    std::atomic<bool> stop{at == 0};
    ReadOptions const options{
        .mini_batch = 1, .stop = &stop, .progress = [&](std::uint64_t done, std::uint64_t) { stop = done >= at; }};
    CHECK_THROWS_AS((void)read_boxes(array, boxes, options), Cancelled);
  }
  CHECK(std::ranges::equal(read_boxes(array, boxes), expected));
}

TEST_CASE("the handle's options are used, and a budget that has no room for a chunk is refused") {
  Memory const store;
  Traffic traffic;
  auto const array = numbered(store, {40, 40}, {4, 4}).with(ReadOptions{.memory = 64 << 10, .traffic = &traffic});
  auto const boxes = cubes(20, {{0, 0}, {3, 9}, {12, 12}});
  CHECK(std::ranges::equal(read_boxes(array, boxes), one_by_one(array.with(ReadOptions{.traffic = nullptr}), boxes)));
  CHECK(traffic.chunks == 25 + 36 + 25 - 15 - 4 - 15 + 4);
  check_refused<BudgetError>([&] { (void)read_boxes(array, boxes, {.memory = 1}); }, {"\"a/zarr.json\"", "budget"});
}

}  // namespace read_boxes_tests
