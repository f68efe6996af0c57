// Selections of every kind, read and written, compared with elements that are picked one by one.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_array.hpp>
#include <support/random_selection.hpp>
#include <support/refused.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::Bytes, test::Random, test::random_elements;

namespace {

/// Counts the reads of each key.
struct CountingStore {
  struct Counts {
    std::mutex mutex;
    std::map<std::string, int> reads;
  };
  using buffer_type = HostBuffer;
  MemoryStore<HostBuffer> inner;
  std::shared_ptr<Counts> counts = std::make_shared<Counts>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    {
      std::lock_guard lock{counts->mutex};
      ++counts->reads[key.path];
    }
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const { inner.write(key, value, on); }
  bool erase(Key const& key, Queue<space::Host>& on) const { return inner.erase(key, on); }
};

// Reads and writes of one array by selections of every kind, from and to memory of any strides.
template <class... Codecs, class S>
void check_selections(S const& store, std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  auto const rank = random(0, 4);
  test::ArrayContent content{test::random_type(random), random.extents(rank, 1, 9), random.extents(rank, 1, 5), {}};
  auto const item = content.type.size;
  content.elements = random_elements(random, test::size_of(content.shape) * item, content.type);
  test::write_array(store, "a", content, test::random_codec<Codecs>(random, rank)...);
  auto const array = open_any<Pipeline<space::Host, Codecs...>>(store, "a", test::HostQueue{random(1, 3)});
  for (int round = 0; round < 10; ++round) {
    auto const selection = test::random_selection(random, content.shape, content.chunk_shape);
    CAPTURE(selection.kind);
    auto const& selected = selection.selected;
    REQUIRE(test::size_of(selected.shape) == selection.places.size());
    bool const writes = round % 2 == 1;
    auto const at = test::random_memory(random, selected.shape, item, writes);
    auto memory = random_elements(random, at.size, content.type);
    std::size_t const batches[] = {0, 1, 2, every_chunk};
    auto const mini_batch = batches[random(0, 3)];
    if (writes) {
      array.write(selected, {memory.data() + at.first, at.strides}, {.mini_batch = mini_batch});
      test::for_each_selected(selection, content.shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(memory.data() + place, item, content.elements.data() + element);
      });
    } else {
      auto expected = memory;
      test::for_each_selected(selection, content.shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(content.elements.data() + element, item, expected.data() + place);
      });
      array.read(selected, {memory.data() + at.first, at.strides}, {.mini_batch = mini_batch});
      CHECK(memory == expected);
    }
    CHECK(test::read_bytes(array, Box{all}.resolve(content.shape)) == content.elements);
  }
}

std::vector<int> count_up(int n) {
  std::vector<int> numbers;
  while (static_cast<int>(numbers.size()) < n) numbers.push_back(static_cast<int>(numbers.size()));
  return numbers;
}

// 5 x 7 numbers from 0 on in chunks of 2 x 3, so that element (i, j) is 7 i + j.
auto numbered(auto const& store) {
  auto const array = create_array<int, 2>(store, "a", {.shape = {5, 7}, .chunks = {2, 3}});
  array.write(all, count_up(35));
  return array;
}

template <class A>
std::vector<int> values(A const& owned) {
  return {owned.elements().begin(), owned.elements().end()};
}
using Ints = std::vector<int>;

}  // namespace

using codec::Blosc, codec::Crc32c, codec::Transpose, codec::Zstd;
using ToBytes = codec::Bytes;

TEST_CASE("random selections of every kind, read and written through memory of any strides") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    check_selections<ToBytes>(MemoryStore<HostBuffer>{}, seed);
    check_selections<Transpose, ToBytes, Zstd>(MemoryStore<HostBuffer>{}, seed + 1000);
  }
  for (std::uint64_t seed = 2001; seed <= 2010; ++seed) {
    test::TemporaryFolder const folder;
    check_selections<Transpose, ToBytes, Blosc, Crc32c>(LocalStore<HostBuffer>{folder / "store"}, seed);
  }
}

TEST_CASE("each chunk that a selection touches is fetched once, and no other") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    auto const rank = random(0, 3);
    test::ArrayContent content{{DataKind::signed_integer, 2}, random.extents(rank, 1, 9), random.extents(rank, 1, 4), {}};
    content.elements = random.noise(test::size_of(content.shape) * 2);
    CountingStore const store;
    test::write_array(store, "a", content, ToBytes{}, Crc32c{});
    auto const array = open_any<Pipeline<space::Host, ToBytes, Crc32c>>(store, "a", test::HostQueue{random(1, 2)});
    auto const selection = test::random_selection(random, content.shape, content.chunk_shape);
    CAPTURE(selection.kind);
    std::map<std::string, int> expected;
    for (auto place : selection.places) {
      for (std::size_t d = 0; d < rank; ++d) place[d] /= content.chunk_shape[d];
      expected[content.chunk_key("a", place)] = 1;
    }
    store.counts->reads.clear();
    Bytes memory(test::size_of(selection.selected.shape) * 2);
    Traffic traffic;
    array.read(selection.selected, {memory.data(), Layout::c_order(selection.selected.shape, 2).strides},
               {.traffic = &traffic});
    CHECK(store.counts->reads == expected);
    CHECK(traffic.decoded == expected.size() * test::size_of(content.chunk_shape) * 2);
  }
}

TEST_CASE("one index, lists, points, a mask, blocks: what NumPy says each means") {
  auto const array = numbered(MemoryStore<HostBuffer>{});
  auto const row = array.read({3, all});
  CHECK(row.shape() == Extents{1, 7});
  CHECK(values(row) == Ints{21, 22, 23, 24, 25, 26, 27});
  CHECK(values(array.read({4, 6})) == Ints{34});

  auto const crossed = array.read(Orthogonal{std::vector{3, 0, 3}, Slice{1, 7, 3}});
  CHECK(crossed.shape() == Extents{3, 2});
  CHECK(values(crossed) == Ints{22, 25, 1, 4, 22, 25});
  CHECK(values(array.read(Orthogonal{2, std::array<std::uint8_t, 2>{6, 0}})) == Ints{20, 14});
  CHECK(array.read(Orthogonal{all, std::vector<long>{5}}).shape() == Extents{5, 1});

  auto const points = array.read(Points{std::vector{4, 0, 4, 4}, std::vector{6, 0, 6, 5}});
  static_assert(std::same_as<decltype(points), OwnedArray<int, 1, HostBuffer> const>);
  CHECK(values(points) == Ints{34, 0, 34, 33});
  CHECK(values(array.read(Points{std::vector<Extents>{{1, 1}, {0, 2}}})) == Ints{8, 2});

  std::vector<std::uint8_t> mask(35, 0);
  for (auto i : {2, 3, 4, 20, 34}) mask[static_cast<std::size_t>(i)] = 1;
  CHECK(values(array.read(Mask{mask})) == Ints{2, 3, 4, 20, 34});
  auto const booleans = std::make_unique<bool[]>(35);
  std::copy(mask.begin(), mask.end(), booleans.get());
  CHECK(values(array.read(Mask{ArrayView<bool, 2>::c_order(booleans.get(), {5, 7})})) == Ints{2, 3, 4, 20, 34});
  ArrayView<bool const, 2> backwards{booleans.get() + 34, {5, 7}, {-7, -1}};
  CHECK(values(array.read(Mask{backwards})) == Ints{0, 14, 30, 31, 32});

  auto const blocks = array.read(Blocks{2, {0, 3, 2}});
  CHECK(blocks.shape() == Extents{1, 4});
  CHECK(values(blocks) == Ints{28, 29, 30, 34});
  CHECK(array.read(Blocks{all}).shape() == Extents{5, 7});
}

TEST_CASE("memory of any kind, a queue and options go with each selection") {
  auto const array = numbered(MemoryStore<HostBuffer>{});
  test::HostQueue on{2};
  Points const points{std::vector{4, 0}, std::vector{6, 1}};
  Ints two(2), four(4);
  array.on(on).read(points, two, {.mini_batch = 1});
  CHECK(two == Ints{34, 1});
  array.read(points, ArrayView<int, 1>{two.data() + 1, {2}, {-1}});
  CHECK(two == Ints{1, 34});
  Orthogonal const corners{std::vector{4, 0}, std::vector{0, 6}};
  array.read(corners, ArrayView<int, 2>{four.data(), {2, 2}, {1, 2}}, {.mini_batch = 1});
  CHECK(four == Ints{28, 0, 34, 6});
  auto owned = array.on(on).read<HostBuffer>(corners);
  array.on(on).write(Blocks{{0, 1}, {0, 1}}, Ints{-1, -2, -3, -4, -5, -6});
  array.read(corners, owned);
  CHECK(values(owned) == Ints{28, 34, -1, 6});
  array.fill(points, 99);
  array.on(on).fill({2, 2}, 98);
  CHECK(values(array.read(Orthogonal{std::vector{0, 2, 4}, std::vector{1, 2, 6}})) ==
        Ints{99, -3, 6, 15, 98, 20, 29, 30, 99});
}

TEST_CASE("of an element that is written several times at once, the last value stays") {
  auto const array = create_array<int, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {4, 4}, .chunks = {2, 4}});
  array.write(Points{std::vector{1, 3, 1, 1}, std::vector{2, 0, 2, 3}}, Ints{1, 2, 3, 4});
  CHECK(values(array.read({1, all})) == Ints{0, 0, 3, 4});
  array.write(Orthogonal{std::vector{0, 2, 0}, std::vector{1, 0, 1, 1}}, count_up(12));
  CHECK(values(array.read({{0, 3, 2}, {0, 2}})) == Ints{9, 11, 5, 7});
  array.write(Orthogonal{std::vector{1, 0, 1, 0}, Slice{0, 4}}, count_up(16));  // whole chunks, twice each
  CHECK(values(array.read({{0, 2}, all})) == Ints{12, 13, 14, 15, 8, 9, 10, 11});
}

TEST_CASE("a chunk of which lists or points give every element is written whole: it is not read") {
  CountingStore const store;
  auto const array = create_array<int, 2>(store, "a", {.shape = {3, 4}, .chunks = {2, 3}});
  store.counts->reads.clear();
  array.write(Orthogonal{std::vector{1, 0, 2, 1}, std::vector{3, 2, 0, 1}}, count_up(16));
  array.write(Mask{std::vector<std::uint8_t>(12, 1)}, count_up(12));
  CHECK(store.counts->reads.empty());
  CHECK(values(array.read(all)) == count_up(12));
  store.counts->reads.clear();
  array.write(Points{std::vector{0, 0, 0}, std::vector{3, 0, 3}}, Ints{7, 8, 9});
  CHECK(store.counts->reads == std::map<std::string, int>{{"a/c/0/0", 1}, {"a/c/0/1", 1}});
}

TEST_CASE("more parts of one chunk than are placed at a time") {
  auto const array = create_array<std::uint16_t, 2>(MemoryStore<HostBuffer>{}, "a",
                                                    {.shape = {70, 70}, .chunks = {64, 70}});
  std::vector<std::uint8_t> checkers(4900);
  std::vector<std::uint16_t> given;
  for (std::size_t i = 0; i < 4900; ++i)
    if ((checkers[i] = (i / 70 + i) % 2) != 0) given.push_back(static_cast<std::uint16_t>(i));
  array.write(Mask{checkers}, given);
  auto const read = array.read(Mask{checkers});
  CHECK(std::ranges::equal(read.elements(), given));
  auto const whole = array.read(all);
  CHECK(whole(3, 4) == 214);
  CHECK(whole(3, 5) == 0);
}

TEST_CASE("an array without dimensions, and selections of nothing") {
  auto const scalar = create_array<int, 0>(MemoryStore<HostBuffer>{}, "a", {.shape = {}, .chunks = {}});
  scalar.write(Orthogonal{}, Ints{5});
  CHECK(values(scalar.read(Blocks{})) == Ints{5});
  CHECK(values(scalar.read(Points{std::vector<Extents>(3)})) == Ints{5, 5, 5});
  scalar.write(Points{std::vector<Extents>(2)}, Ints{6, 7});
  CHECK(values(scalar.read(Mask{std::array<std::uint8_t, 1>{1}})) == Ints{7});
  CHECK(values(scalar.read(Mask{std::array<std::uint8_t, 1>{0}})).empty());

  CountingStore const store;
  auto const array = numbered(store);
  store.counts->reads.clear();
  CHECK(array.read(Orthogonal{std::vector<int>{}, all}).shape() == Extents{0, 7});
  CHECK(array.read(Points{std::vector<Extents>{}}).shape() == Extents{0});
  CHECK(array.read(Points{Ints{}, Ints{}}).shape() == Extents{0});
  CHECK(array.read(Mask{std::vector<std::uint8_t>(35)}).shape() == Extents{0});
  CHECK(array.read(Blocks{{1, 1}, all}).shape() == Extents{0, 7});
  array.write(Points{Ints{}, Ints{}}, Ints{});
  CHECK(store.counts->reads.empty());

  auto const empty = create_array<int, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {0, 3}, .chunks = {2, 2}});
  CHECK(empty.read(Mask{Ints{}.empty() ? std::vector<std::uint8_t>{} : std::vector<std::uint8_t>(1)}).size() == 0);
  CHECK(empty.read(Orthogonal{all, std::vector{2, 0}}).shape() == Extents{0, 2});
  CHECK(empty.read(Blocks{all, 1}).shape() == Extents{0, 1});
}

TEST_CASE("what lies outside is refused, by name of the dimension, and nothing is touched") {
  CountingStore const store;
  auto const array = numbered(store);
  store.counts->reads.clear();
  auto const refused = [&](auto const& selection, std::initializer_list<char const*> words) {
    test::check_refused<SelectionError>([&] { (void)array.read(selection); }, words);
    test::check_refused<SelectionError>([&] { array.fill(selection, 1); }, words);
  };
  refused(Box{{0, 5}, 7}, {"dimension 1", "7:8", "7"});
  refused(Orthogonal{std::vector{0, 5}, all}, {"dimension 0", "index 5", "below 5"});
  refused(Orthogonal{all, Slice{0, 8}}, {"dimension 1", "0:8"});
  refused(Orthogonal{all}, {"1 lists", "2 dimensions"});
  refused(Points{Ints{0, 1}, Ints{0, 7}}, {"dimension 1", "index 7", "below 7"});
  refused(Points{Ints{0, 1}}, {"1 coordinates", "2 dimensions"});
  refused(Blocks{{0, 4}, all}, {"dimension 0", "chunks 0:4", "3"});
  refused(Blocks{all, all, all}, {"3 slices", "2 dimensions"});
  refused(Mask{std::vector<std::uint8_t>(34)}, {"34 elements", "35"});
  bool const some[42]{};
  refused(Mask{ArrayView<bool const, 2>::c_order(some, {5, 6})}, {"dimension 1", "length 6", "expected 7"});
  refused(Mask{ArrayView<bool const, 1>::c_order(some, {35})}, {"1 dimensions", "2 dimensions"});
  test::check_refused<SelectionError>([] { Points{Ints{0, 1}, Ints{0}}; }, {"dimension 1", "1 coordinates", "2"});
  test::check_refused<SelectionError>([] { Points{std::vector<Extents>{{0, 1}, {0}}}; }, {"1 coordinates", "2 dim"});
  test::check_refused<SelectionError>([] { Points{Ints{0, -1}}; }, {"-1", "coordinates"});
  test::check_refused<SelectionError>([] { Orthogonal{Ints{0, -1}}; }, {"-1", "a list of indices"});
  test::check_refused<SelectionError>([] { Slice{-1}; }, {"-1", "slice"});
  Ints three(3);
  test::check_refused<SelectionError>([&] { array.read(Points{Ints{0, 1}, Ints{0, 1}}, three); }, {"3 elements", "2"});
  CHECK(store.counts->reads.empty());
}

TEST_CASE("what no selection has made is held to the array too") {
  auto const array = numbered(MemoryStore<HostBuffer>{}).untyped();
  Ints memory(8);
  StridedSpan<space::Host> const to{reinterpret_cast<std::byte*>(memory.data()), {4}}, plane{to.data, {4, 4}};
  auto const refused = [&](ResolvedSelection const& selected, StridedSpan<space::Host> const& target) {
    CHECK_THROWS_AS(array.read(selected, target), SelectionError);
  };
  refused(PointRuns{{4, 5}, {3}}, to);   // beyond the row's end
  refused(PointRuns{{4, 5, 1}, {1}}, to);
  refused(PointRuns{{4, 5}, {1, 1}}, to);
  refused(PointRuns{{4, 5}, {1}}, plane);  // points have one stride
  ResolvedSelection lists{Region{{0, 0}, {2, 2}, {1, 1}}};
  lists.lists.push_back({1, {3, 7}});
  refused(lists, plane);
  lists.lists[0].indices = {3, 4, 5};  // more than the region
  refused(lists, plane);
  CHECK(memory == Ints(8));
}
