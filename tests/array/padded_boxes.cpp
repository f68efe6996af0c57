// read_boxes with padding, compared element by element with what numpy.pad defines.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/padded.hpp>
#include <support/random_array.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/core/types/record.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

namespace padded_boxes_tests {

struct __attribute__((packed)) Cell {
  std::int16_t kind;
  double value;
  friend bool operator==(Cell const& a, Cell const& b) { return a.kind == b.kind && a.value == b.value; }
};

}  // namespace padded_boxes_tests

using padded_boxes_tests::Cell;
template <>
struct tessera::element_traits<Cell>
    : tessera::record<Cell, tessera::member<"kind", &Cell::kind>, tessera::member<"value", &Cell::value>> {};

namespace padded_boxes_tests {

using namespace tessera;
using test::check_refused, test::HostQueue, test::Random;
using Memory = MemoryStore<HostBuffer>;
using Zstd = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>;
using Shards = codec::Sharding<Zstd>;

namespace {

/// Elements that differ from each other and from the fill value.
template <class T>
T element_of(std::uint64_t i) {
  if constexpr (std::same_as<T, Cell>)
    return {static_cast<std::int16_t>(i), static_cast<double>(i) / 3};
  else
    return static_cast<T>(i * 5 + 1);
}

/// One array, of which some chunks are missing, and several calls of every mode.
template <class T, std::size_t Rank, class P, class S>
void check_padding(S const& store, P const& pipeline, NewArray<T> made, Random& random) {
  made.fill = element_of<T>(77);
  auto const array = create_array<T, Rank>(store, "a", made, pipeline, HostQueue{random(1, 3)});
  for (auto const& box : test::random_boxes(random, array.shape(), 3)) {
    std::vector<T> elements(test::size_of(box.resolve(array.shape()).count));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = element_of<T>(i);
    array.write(box, elements);
  }
  auto const whole = array.read(all);
  std::vector<T> const in_array(whole.begin(), whole.end());
  for (int round = 0; round < 6; ++round) {
    auto padding = test::random_padding(random, array.shape());
    auto value = made.fill;
    if (random.one_in(2)) padding.value = value = element_of<T>(99);
    auto const padded = padding.padded(array.shape());
    auto const drawn = test::random_oriented_boxes(random, padded, random(1, 7));
    auto const boxes = drawn.list();
    auto const& inner = array.untyped().inner_chunk_shape();
    test::PaddedBoxes<T> expected{in_array, array.shape(), inner, padding, value, drawn.boxes};
    expected.elements = drawn.turned(expected.elements, padded);
    CAPTURE(static_cast<int>(padding.mode));
    CAPTURE(padding.before);
    CAPTURE(padding.after);
    CAPTURE(array.shape());

    auto options = test::random_options<ReadOptions>(random, 1 << 20);
    Traffic traffic;
    options.traffic = &traffic;
    auto const found = read_boxes(array, boxes, padding, options);
    CHECK(found.shape()[0] == boxes.size());
    CHECK(std::ranges::equal(found, expected.elements));
    CHECK(traffic.chunks == expected.chunks.size());

    // Memory whose axes are in another order, and which runs backwards along some.
    std::vector<T> memory(expected.elements.size() + 2, element_of<T>(55));
    ArrayView<T, Rank + 1> view{memory.data() + 1, {}, {}};
    std::int64_t stride = 1;
    for (auto const d : random.permutation(Rank + 1)) {
      view.shape[d] = found.shape()[d];
      view.strides[d] = stride;
      stride *= static_cast<std::int64_t>(found.shape()[d]);
      if (expected.elements.empty() || !random.one_in(2)) continue;
      view.data += view.strides[d] * static_cast<std::int64_t>(view.shape[d] - 1);
      view.strides[d] = -view.strides[d];
    }
    read_boxes(array, boxes, view, padding, options);
    std::size_t wrong = 0, i = 0;
    test::for_each_index(found.shape(), [&](Extents const& at) {
      auto const* element = view.data;
      for (std::size_t d = 0; d <= Rank; ++d) element += static_cast<std::int64_t>(at[d]) * view.strides[d];
      wrong += !(*element == expected.elements[i++]);
    });
    CHECK(wrong == 0);
    CHECK(memory.front() == element_of<T>(55));
    CHECK(memory.back() == element_of<T>(55));

    auto const mixed = test::random_boxes_of_any_shape(random, padded, random(1, 5));
    std::vector<std::vector<T>> memories;
    for (std::size_t k = 0; k < mixed.size(); ++k) memories.emplace_back(test::size_of(mixed.shape(k, padded)));
    read_boxes(array, mixed.list(), memories, padding, options);
    for (std::size_t k = 0; k < mixed.size(); ++k) {
      auto const one = mixed.some(k, 1);
      test::PaddedBoxes<T> const alone{in_array, array.shape(), inner, padding, value, one.boxes};
      CHECK(memories[k] == one.turned(alone.elements, padded));
    }
  }
}

template <class T, std::size_t Rank>
void check_formats(std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  std::uint64_t const most[] = {1, 40, 14, 8, 6};
  NewArray<T> made{.shape = random.extents(Rank, 1, most[Rank])};
  made.chunks = random.extents(Rank, 1, most[Rank] / 2);
  codec::Bytes const big{test::other_endian};
  codec::Transpose const transpose{random.permutation(Rank)};
  check_padding<T, Rank>(Memory{}, Pipeline<space::Host, codec::Bytes>{big}, made, random);
  check_padding<T, Rank>(test::Remote{}, Pipeline<space::Host, codec::Bytes>{}, made, random);
  check_padding<T, Rank>(Memory{}, Zstd{transpose, big, {}}, made, random);
  made.shards = made.chunks;
  for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  auto const inner = std::exchange(made.chunks, {});
  check_padding<T, Rank>(Memory{}, Pipeline<space::Host, Shards>{Shards{inner, Zstd{transpose, big, {}}}}, made,
                         random);
}

/// 1, 2, ... n
auto counted(std::uint64_t n) {
  auto const array = create_array<int, 1>(Memory{}, "a", {.shape = {n}, .chunks = {2}, .fill = -7});
  std::vector<int> elements(n);
  std::iota(elements.begin(), elements.end(), 1);
  array.write(all, elements);
  return array;
}

std::vector<Box> const everything{Box(all)};

}  // namespace

TEST_CASE("boxes of a padded array are what numpy.pad gives, of every mode, rank and format") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    check_formats<std::uint8_t, 1>(seed);
    check_formats<std::int16_t, 2>(seed + 100);
    check_formats<float, 3>(seed + 200);
    check_formats<double, 4>(seed + 300);
    check_formats<Cell, 2>(seed + 400);
  }
}

TEST_CASE("what numpy.pad gives, by its own results") {
  auto const padded = [](std::uint64_t n, Padding const& padding) {
    auto const found = read_boxes(counted(n), everything, padding);
    return std::vector<int>(found.begin(), found.end());
  };
  CHECK(padded(3, {{5}, {6}, PaddingMode::reflect}) == std::vector<int>{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1});
  CHECK(padded(2, {{3}, {4}, PaddingMode::reflect}) == std::vector<int>{2, 1, 2, 1, 2, 1, 2, 1, 2});
  CHECK(padded(1, {{2}, {1}, PaddingMode::reflect}) == std::vector<int>{1, 1, 1, 1});
  CHECK(padded(3, {{2}, {4}, PaddingMode::edge}) == std::vector<int>{1, 1, 1, 2, 3, 3, 3, 3, 3});
  CHECK(padded(3, {{2}, {1}, PaddingMode::constant, 9}) == std::vector<int>{9, 9, 1, 2, 3, 9});
  CHECK(padded(3, {{2}, {1}}) == std::vector<int>{-7, -7, 1, 2, 3, -7});
  CHECK(padded(0, {{1}, {1}}) == std::vector<int>{-7, -7});
}

TEST_CASE("boxes wholly beyond the array read no chunk, unless they mirror or repeat it") {
  auto const array = counted(10);
  Padding padding{.before = {20}, .after = {20}, .value = 4};
  std::vector<Box> const beyond{{{0, 3}}, {{30, 33}}, {{47, 50}}};
  Traffic traffic;
  CHECK(std::ranges::equal(read_boxes(array, beyond, padding, {.traffic = &traffic}), std::vector<int>(9, 4)));
  CHECK(traffic.chunks == 0);
  padding.mode = PaddingMode::edge;
  auto const edges = read_boxes(array, beyond, padding, {.traffic = &traffic});
  CHECK(std::ranges::equal(edges, std::vector<int>{1, 1, 1, 10, 10, 10, 10, 10, 10}));
  CHECK(traffic.chunks == 2);
  padding.mode = PaddingMode::reflect;
  auto const mirrored = read_boxes(array, beyond, padding, {.traffic = &traffic});
  CHECK(std::ranges::equal(mirrored, std::vector<int>{3, 2, 1, 9, 8, 7, 10, 9, 8}));
  CHECK(traffic.chunks == 2 + 4);
}

TEST_CASE("a padding value is an element, or a number that fits") {
  auto const bytes = create_array<std::uint8_t, 1>(Memory{}, "a", {.shape = {1}, .chunks = {1}});
  auto const floats = create_array<float, 1>(Memory{}, "a", {.shape = {1}, .chunks = {1}});
  auto const flags = create_array<bool, 1>(Memory{}, "a", {.shape = {1}, .chunks = {1}});
  auto const waves = create_array<std::complex<float>, 1>(Memory{}, "a", {.shape = {1}, .chunks = {1}});
  auto const large = create_array<std::uint64_t, 1>(Memory{}, "a", {.shape = {1}, .chunks = {1}});
  auto const first = [](auto const& array, PaddingValue const& value) {
    return read_boxes(array, everything, Padding{.before = {1}, .value = value})(0, 0);
  };
  auto const halves = create_array<float16, 1>(Memory{}, "a", {.shape = {1}, .chunks = {1}});
  CHECK(first(halves, 0.5) == float16{0.5f});
  CHECK(first(halves, -3) == float16{-3.f});
  check_refused<SelectionError>([&] { first(halves, 70000); }, {"does not fit in float16"});
  std::vector const huge{Box{{0, 1ull << 62}}};
  check_refused<MetadataError>([&] { (void)read_boxes(floats, huge, Padding{.after = {1ull << 62}}); },
                               {"\"a/zarr.json\""});
  CHECK(first(bytes, 255) == 255);
  CHECK(first(bytes, 3.0) == 3);
  CHECK(first(floats, -1) == -1.f);
  CHECK(first(floats, 0.1f) == 0.1f);
  CHECK(first(floats, std::numeric_limits<double>::infinity()) == std::numeric_limits<float>::infinity());
  auto const nan = first(floats, std::numeric_limits<float>::quiet_NaN());
  CHECK(nan != nan);
  CHECK(first(flags, true));
  CHECK(first(waves, 2) == std::complex<float>{2, 0});
  CHECK(first(waves, std::complex<float>{2, 3}) == std::complex<float>{2, 3});
  CHECK(first(large, ~std::uint64_t{0}) == ~std::uint64_t{0});
  auto const refused = [&](auto const& array, PaddingValue const& value, std::initializer_list<char const*> words) {
    check_refused<SelectionError>([&] { (void)first(array, value); }, words);
  };
  refused(bytes, 256, {"\"a/zarr.json\"", "found the value 256, which does not fit in uint8"});
  refused(bytes, -1, {"found the value -1"});
  refused(bytes, 0.5, {"found the value 0.5", "not whole"});
  refused(floats, Cell{}, {"\"a/zarr.json\": padding: found a value of another type, expected one of float32"});
  refused(floats, std::complex<float>{1, 1}, {"expected one of float32"});
}

TEST_CASE("padding that does not suit the array, and boxes beyond the padding, are refused") {
  Memory const store;
  auto const array = create_array<int, 2>(store, "a", {.shape = {8, 0}, .chunks = {4, 4}});
  auto const refused = [&](Padding const& padding, std::vector<Box> const& boxes,
                           std::initializer_list<char const*> words) {
    check_refused<SelectionError>([&] { (void)read_boxes(array, boxes, padding); }, words);
    std::vector<int> memory(1);
    check_refused<SelectionError>([&] { read_boxes(array, boxes, memory, padding); }, words);
  };
  refused({{1}, {}}, everything, {"\"a/zarr.json\": padding: found before of 1 dimensions, expected 2"});
  refused({{}, {1, 2, 3}}, everything, {"\"a/zarr.json\": padding: found after of 3 dimensions, expected 2"});
  refused({{0, 1}, {}, PaddingMode::edge}, everything,
          {"\"a/zarr.json\": padding: dimension 1: found no elements, expected at least 1 for edge"});
  refused({{}, {0, 1}, PaddingMode::reflect}, everything, {"expected at least 1 for reflect"});
  auto const most = std::uint64_t{1} << 63;
  refused(
      {{most - 8, 0}, {}}, everything,
      {"\"a/zarr.json\": padding: dimension 0: found 9223372036854775800 + 8 + 0 elements, expected less than 2^63"});
  refused({{most, 0}, {most, 0}}, everything, {"expected less than 2^63"});
  refused({{1, 2}, {1, 2}}, {{{0, 2}, {0, 2}}, {{9, 11}, {0, 2}}},
          {"\"a/zarr.json\": box 1 of the padded array: dimension 0: found 9:11:1", "stop <= 10"});
  // Along a dimension without padding, edge and reflect need no elements.
  CHECK(read_boxes(array, everything, Padding{{1, 0}, {}, PaddingMode::edge}).shape() == Extents{1, 9, 0});
}

TEST_CASE("options may be left out, or empty") {
  auto const array = counted(4);
  std::vector<int> memory(4);
  read_boxes(array, everything, memory, {});
  CHECK(memory == std::vector<int>{1, 2, 3, 4});
  CHECK(read_boxes(array, everything, {}).size() == 4);
  CHECK(read_boxes(array, everything, Padding{}, {}).size() == 4);
}

TEST_CASE("padding far longer than the array") {
  auto const array = counted(3);
  constexpr auto n = std::uint64_t{1} << 62;
  std::vector<Box> const boxes{{{0, 3}}, {{n, n + 3}}, {{2 * n - 4, 2 * n - 1}}};
  auto const padded = [&](PaddingMode mode) {
    auto const found = read_boxes(array, boxes, Padding{{n}, {n - 4}, mode});
    return std::vector<int>(found.begin(), found.end());
  };
  CHECK(padded(PaddingMode::constant) == std::vector<int>{-7, -7, -7, 1, 2, 3, -7, -7, -7});
  CHECK(padded(PaddingMode::edge) == std::vector<int>{1, 1, 1, 1, 2, 3, 3, 3, 3});
  // The period is 4, which divides 2^62.
  CHECK(padded(PaddingMode::reflect) == std::vector<int>{1, 2, 3, 1, 2, 3, 1, 2, 3});
}

}  // namespace padded_boxes_tests
