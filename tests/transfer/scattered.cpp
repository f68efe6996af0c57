// Points, lists and masks of more elements than are placed at a time, of every size and layout, read and written,
// compared with elements that are picked one by one.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_array.hpp>
#include <support/random_selection.hpp>
#include <support/refused.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::Bytes, test::Random, test::random_elements, test::RandomSelection;

namespace {

Extents random_place(Random& random, Extents const& shape) {
  Extents place;
  for (auto n : shape) place.push_back(random(0, n - 1));
  return place;
}

// In any order, some of them again and again, some neighbours.
RandomSelection many_points(Random& random, Extents const& shape) {
  std::vector<Extents> places;
  auto const few = random(1, 20);
  auto const last = shape.rank() - 1;
  for (auto n = random(0, 3000); n > 0; --n) {
    auto place = random_place(random, shape);
    if (random.one_in(4) && !places.empty()) place = places[places.size() - std::min<std::size_t>(places.size(), few)];
    if (random.one_in(3) && !places.empty() && shape.rank() > 0) {
      place = places.back();
      place[last] = std::min(place[last] + 1, shape[last] - 1);
    }
    places.push_back(place);
  }
  return {"points", Points{places}.resolve(shape), places};
}

// Runs long enough to be placed as boxes, and single elements.
RandomSelection some_runs(Random& random, Extents const& shape) {
  PointRuns runs;
  RandomSelection result{"runs", ResolvedSelection{PointRuns{}}};
  auto const rank = shape.rank(), last = rank - 1;
  if (rank == 0) return many_points(random, shape);
  bool const is_long = random.one_in(2);
  test::for_each_index(shape, [&](Extents const& index) {  // rows in turn: no element is in two runs
    if (index[last] != 0 || random.one_in(4)) return;
    auto place = index;
    for (auto at = random(0, 3); at < shape[last];) {
      auto const count = std::min(is_long ? random(60, 300) : random(1, 5), shape[last] - at);
      place[last] = at;
      runs.first.insert(runs.first.end(), place.begin(), place.end());
      runs.count.push_back(count);
      for (std::uint64_t i = 0; i < count; ++i, ++place[last]) result.places.push_back(place);
      at += count + random(1, 4);
    }
  });
  result.selected = ResolvedSelection{runs};
  return result;
}

RandomSelection long_and_short_mask(Random& random, Extents const& shape) {
  auto const size = test::size_of(shape);
  std::vector<std::uint8_t> mask(size);
  std::uint64_t const most = random.one_in(2) ? 3 : 200;
  bool is_set = random.one_in(2);
  for (std::size_t i = 0; i < size; is_set = !is_set)
    for (auto n = random(1, most); n > 0 && i < size; --n, ++i)
      mask[i] = is_set ? static_cast<std::uint8_t>(1 + i % 255) : 0;
  RandomSelection result{"mask", Mask{mask}.resolve(shape)};
  test::for_each_index(shape, [&](Extents const& index) {
    if (mask[test::c_index(shape, index)] != 0) result.places.push_back(index);
  });
  return result;
}

// Shuffled, with repeats, downwards, and slices between them.
RandomSelection many_lists(Random& random, Extents const& shape) {
  std::vector<Indices> indices;
  test::detail::Lists lists;
  auto const slices = test::random_slices(random, shape);
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    std::vector<std::uint64_t> list;
    auto const kind = random(0, 3);
    if (kind == 0) {
      indices.emplace_back(slices[d]);
      lists.push_back(test::detail::indices_of(slices[d]));
      continue;
    }
    auto const step = random(1, 4);
    for (std::uint64_t i = 0; i < shape[d]; i += kind == 1 ? step : 1)
      list.push_back(kind == 1 ? shape[d] - 1 - i : random(0, shape[d] - 1));
    if (kind == 3) std::sort(list.begin(), list.end());
    indices.emplace_back(list);
    lists.push_back(list);
  }
  return {"lists", Orthogonal{std::move(indices)}.resolve(shape), test::detail::places_of(lists)};
}

RandomSelection random_scattered(Random& random, Extents const& shape) {
  switch (random(0, 3)) {
    case 0:
      return many_points(random, shape);
    case 1:
      return some_runs(random, shape);
    case 2:
      return long_and_short_mask(random, shape);
    default:
      return many_lists(random, shape);
  }
}

std::string bytes_codec(Random& random) {
  return R"({"name": "bytes", "configuration": {"endian": ")" + std::string{random.one_in(2) ? "little" : "big"} +
         R"("}})";
}
std::string transpose_codec(Random& random, std::size_t rank) {
  std::string order;
  for (auto d : random.permutation(rank)) order += (order.empty() ? "" : ", ") + std::to_string(d);
  return R"({"name": "transpose", "configuration": {"order": [)" + order + "]}}";
}
// Elements unchanged, transposed, or in inner chunks of shards; `chunk` is the unit of decoding then.
std::string random_codecs(Random& random, Extents& shard, Extents const& chunk) {
  auto const rank = chunk.rank();
  auto const plain = bytes_codec(random), transposed = transpose_codec(random, rank) + ", " + plain;
  if (random.one_in(2)) return random.one_in(2) ? "[" + plain + "]" : "[" + transposed + "]";
  for (std::size_t d = 0; d < rank; ++d) shard[d] = chunk[d] * random(1, 3);
  return R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": )" + to_string(chunk) +
         R"(, "codecs": [)" + (random.one_in(2) ? plain : transposed) + R"(], "index_codecs": [)" +
         R"({"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}])";
}

DataType type_of_size(Random& random) {
  DataType const types[] = {{DataKind::boolean, 1},        {DataKind::unsigned_integer, 1}, {DataKind::signed_integer, 2},
                            {DataKind::floating, 4}, {DataKind::floating, 8},   {DataKind::complex, 8},
                            {DataKind::complex, 16},       {DataKind::raw, 3},              {DataKind::raw, 16}};
  return types[random(0, std::size(types) - 1)];
}

void check_scattered(std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  std::size_t const ranks[] = {0, 1, 2, 3, 4};
  std::uint64_t const most[] = {1, 4000, 90, 24, 10};
  auto const rank = ranks[seed % 5];
  auto const chunk = random.extents(rank, 1, (most[rank] + 1) / 2);
  test::ArrayContent content{type_of_size(random), random.extents(rank, 1, most[rank]), chunk, {}};
  auto const item = content.type.size;
  auto const codecs = random_codecs(random, content.chunk_shape, chunk);
  CAPTURE(codecs);
  auto const fill = random_elements(random, item, content.type);
  content.fill = to_json(write_fill_value(fill, content.type));
  for (auto n = test::size_of(content.shape); n > 0; --n)
    content.elements.insert(content.elements.end(), fill.begin(), fill.end());
  MemoryStore<HostBuffer> const store;
  test::put(store, "a/zarr.json", content.document(codecs).text());
  test::HostQueue const on{random(1, 4)};
  auto const array = open_any<AllCodecs>(store, "a", on);
  for (int round = 0; round < 3; ++round) {  // some chunks that these do not touch stay missing
    auto const region = Box{test::random_slices(random, content.shape)}.resolve(content.shape);
    auto const values = random_elements(random, test::size_of(region.count) * item, content.type);
    array.write(region, {values.data(), Layout::c_order(region.count, item).strides}, {});
    test::put_elements(content, region, values);
  }
  for (int round = 0; round < 6; ++round) {
    auto const selection = random_scattered(random, content.shape);
    CAPTURE(selection.kind);
    auto const& selected = selection.selected;
    REQUIRE(test::size_of(selected.shape) == selection.places.size());
    bool const writes = round % 2 == 1;
    auto const at = test::random_memory(random, selected.shape, item, writes);
    auto memory = random_elements(random, at.size, content.type);
    std::size_t const batches[] = {0, 1, 3, every_chunk};
    auto const mini_batch = batches[random(0, 3)];
    if (writes) {
      array.write(selected, {memory.data() + at.first, at.strides}, {.mini_batch = mini_batch});
      test::for_each_selected(selection, content.shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(memory.data() + place, item, content.elements.data() + element);
      });
      CHECK(test::read_bytes(array, Box{all}.resolve(content.shape)) == content.elements);
    } else {
      auto expected = memory;
      test::for_each_selected(selection, content.shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(content.elements.data() + element, item, expected.data() + place);
      });
      array.read(selected, {memory.data() + at.first, at.strides}, {.mini_batch = mini_batch});
      CHECK(memory == expected);
    }
  }
}

}  // namespace

TEST_CASE("points, runs, lists and masks: every size and layout, missing chunks, shards, many threads") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) check_scattered(seed);
}

TEST_CASE("as many chunks as a number can count") {
  constexpr std::uint64_t most = std::uint64_t{1} << 21;
  auto const array =
      create_array<std::int8_t, 3>(MemoryStore<HostBuffer>{}, "a", {.shape = {most, most, most / 2}, .chunks = {1, 1, 1}});
  std::vector<std::uint64_t> const x{most - 1, 0, most - 2, most - 1, 7}, y{3, most - 1, 3, 3, 7}, z{5, 5, 5, 5, most / 2 - 1};
  array.write(Points{x, y, z}, std::vector<std::int8_t>{1, 2, 3, 4, 5});
  auto const other = array.read(Points{z, y, z});
  CHECK(std::ranges::count(other.elements(), 0) == 5);
  auto const same = array.read(Points{x, y, z});
  CHECK(std::ranges::equal(same.elements(), std::vector<std::int8_t>{4, 2, 3, 4, 5}));
}

TEST_CASE("chunks are numbered group by group") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    auto const rank = random(0, 4);
    auto const grid = random.extents(rank, 1, 6);
    auto const group = random.one_in(3) ? Extents::filled(rank, 1) : random.extents(rank, 1, 8);
    detail::ChunkNumbers const numbers{grid, group};
    CHECK(numbers.count() == test::size_of(grid));
    std::vector<std::vector<std::uint64_t>> order(numbers.count());  // groups, then places
    test::for_each_index(grid, [&](Extents const& chunk) {
      auto const number = numbers.number(chunk);
      REQUIRE(number < order.size());
      CHECK(order[number].empty());
      CHECK(numbers.chunk(number) == chunk);
      for (std::size_t d = 0; d < rank; ++d) order[number].push_back(chunk[d] / group[d]);
      for (auto index : chunk) order[number].push_back(index);
    });
    CHECK(std::ranges::is_sorted(order));
  }
}

TEST_CASE("a mask counts what is set before each element, and its runs") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    auto const size = random(0, 1500);
    std::vector<bool> expected(size);
    MaskBits bits{{size}, size};
    for (std::uint64_t first = 0; first < size;) {
      auto const count = std::min(random(1, 64), size - first);
      std::uint64_t word = 0;
      for (std::uint64_t i = 0; i < count; ++i)
        if ((expected[first + i] = random.one_in(2) ? seed % 2 == 0 : random.one_in(3))) word |= std::uint64_t{1} << i;
      bits.add(first, word);
      first += count;
    }
    bits.count_up();
    std::uint64_t before = 0, runs = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      CHECK(bits.count_before(i) == before);
      runs += expected[i] && (i == 0 || !expected[i - 1]);
      before += expected[i];
    }
    CHECK(bits.count_before(size) == before);
    CHECK(bits.count() == before);
    CHECK(bits.runs() == runs);
    auto const begin = random(0, size), length = random(0, size - begin);
    std::vector<bool> found(size);
    std::uint64_t last = 0;
    bits.for_each_run(begin, length, [&](std::uint64_t first, std::uint64_t count) {
      CHECK(count > 0);
      if (last > 0) CHECK(first > last);  // not a neighbour of the one before
      last = first + count;
      for (std::uint64_t i = 0; i < count; ++i) found[first + i] = true;
      return true;
    });
    for (std::uint64_t i = 0; i < size; ++i) CHECK(found[i] == (expected[i] && i >= begin && i < begin + length));
  }
}

TEST_CASE("a mask's bytes are true whatever they are, at any stride") {
  for (auto byte : {1, 2, 127, 128, 255}) {
    std::vector<std::uint8_t> mask(3 * 100);
    for (std::size_t i = 0; i < 100; i += 3) mask[3 * i] = static_cast<std::uint8_t>(byte);
    ArrayView<std::uint8_t, 1> const third{mask.data(), {100}, {3}};
    auto const bits = Mask{third}.resolve({100});
    std::vector<std::uint8_t> dense(100);
    for (std::size_t i = 0; i < 100; i += 3) dense[i] = static_cast<std::uint8_t>(byte);
    CHECK(bits.count() == 34);
    CHECK(Mask{dense}.resolve({100}).count() == 34);
    for (std::uint64_t i = 0; i < 100; ++i)
      CHECK(Mask{dense}.resolve({100}).count_before(i) == bits.count_before(i));
  }
}

TEST_CASE("a byte that is no bool is refused among points, lists and a mask, and elsewhere it is not looked at") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<bool, 1>(store, "a", {.shape = {3000}, .chunks = {1500}});
  std::vector<char> ones(1500, 1);
  ones[1400] = 7;
  test::put(store, "a/c/1", std::string(ones.begin(), ones.end()));
  std::vector<std::uint64_t> even, odd;
  std::vector<std::uint8_t> mask(3000);
  for (std::uint64_t i = 0; i < 3000; ++i) (i % 2 == 0 ? even : odd).push_back(i), mask[i] = i % 2 == 0;
  std::swap(even[0], even[1]), std::swap(odd[0], odd[1]);
  CHECK(array.read(Points{odd}).shape() == Extents{1500});
  CHECK(array.read(Orthogonal{odd}).shape() == Extents{1500});
  CHECK_THROWS_AS(array.read(Points{even}), CodecError);
  CHECK_THROWS_AS(array.read(Orthogonal{even}), CodecError);
  CHECK_THROWS_AS(array.read(Mask{mask}), CodecError);
  try {
    array.read(Mask{mask});
  } catch (CodecError const& error) {
    CHECK(std::string{error.what()}.find("found an element 7, expected 0 or 1 for a bool") != std::string::npos);
    CHECK(error.key() == "a/c/1");
  }
}
