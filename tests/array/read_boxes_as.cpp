// read_boxes_as: every element compared with one that is padded and converted alone.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <support/converted_boxes.hpp>
#include <support/random_array.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

namespace read_boxes_as_tests {

using namespace tessera;
using test::check_refused, test::HostQueue, test::Random;
using Memory = MemoryStore<HostBuffer>;
using Zstd = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>;
using Shards = codec::Sharding<Zstd>;

namespace {

/// One array, of which some chunks are missing, and several calls.
template <class Program, class T, std::size_t Rank, class P, class S>
void check_array(S const& store, P const& pipeline, NewArray<T> made, Random& random) {
  test::RandomConversion<Program, T> const drawn{random};
  made.fill = drawn.number(random);
  auto const array = create_array<T, Rank>(store, "a", made, pipeline, HostQueue{random(1, 3)});
  for (auto const& box : test::random_boxes(random, array.shape(), 3))
    array.write(box, drawn.numbers(random, test::size_of(box.resolve(array.shape()).count)));
  auto const whole = array.read(all);
  std::vector<T> const in_array(whole.begin(), whole.end());

  for (int round = 0; round < 4; ++round) {
    auto how = drawn;
    how.choose_missing(random, in_array);
    CAPTURE(how.text());
    CAPTURE(round);
    auto padding = test::random_padding(random, array.shape());
    auto value = made.fill;
    if (random.one_in(2)) padding.value = value = drawn.number(random);
    bool const is_padded = !random.one_in(3);
    if (!is_padded) padding = {};
    how.choose_by_index(random, array.shape(), padding);
    auto const padded = padding.padded(array.shape());
    auto const turned = test::random_oriented_boxes(random, padded, random(1, 7));
    auto const boxes = turned.list();
    auto const& inner = array.untyped().inner_chunk_shape();
    test::PaddedBoxes<T> const given{in_array, array.shape(), inner, padding, value, turned.boxes};
    auto const shape = turned.shape_of_all(padded);
    test::ConvertedBoxes<Program> const expected{turned.turned(given.elements, padded), shape, how,
                                                 how.indices(turned, array.shape(), padding)};

    Traffic traffic;
    auto options = test::random_options<ReadOptions>(random, 1 << 20);
    options.traffic = &traffic;
    expected.check([&] {
      auto const found = is_padded ? read_boxes_as<Program>(array, boxes, how.conversion, padding, options)
                                   : read_boxes_as<Program>(array, boxes, how.conversion, options);
      CHECK(found.shape() == shape);
      CHECK(expected.wrong(found) == 0);
    });
    CHECK(traffic.chunks == given.chunks.size());

    // Memory whose axes are in another order, and which runs backwards along some.
    std::vector<Program> memory(expected.elements.size() + 2, Program(55));
    ArrayView<Program, Rank + 1> view{memory.data() + 1, {}, {}};
    std::int64_t stride = 1;
    for (auto const d : random.permutation(Rank + 1)) {
      view.shape[d] = shape[d];
      view.strides[d] = stride;
      stride *= static_cast<std::int64_t>(shape[d]);
      if (expected.elements.empty() || !random.one_in(2)) continue;
      view.data += view.strides[d] * static_cast<std::int64_t>(view.shape[d] - 1);
      view.strides[d] = -view.strides[d];
    }
    expected.check([&] {
      if (is_padded)
        read_boxes_as(array, boxes, view, how.conversion, padding, options);
      else
        read_boxes_as(array, boxes, view, how.conversion, options);
    });
    std::vector<Program> found;
    test::for_each_index(shape, [&](Extents const& at) {
      auto const* element = view.data;
      for (std::size_t d = 0; d <= Rank; ++d) element += static_cast<std::int64_t>(at[d]) * view.strides[d];
      found.push_back(*element);
    });
    if (expected.refused.empty()) CHECK(expected.wrong(found) == 0);
    CHECK(memory.front() == Program(55));
    CHECK(memory.back() == Program(55));

    // Each box in memory of its own.
    std::vector<std::vector<Program>> memories(boxes.size(), std::vector<Program>(expected.elements.size() / shape[0]));
    expected.check([&] { read_boxes_as(array, boxes, memories, how.conversion, padding, options); });
    found.clear();
    for (auto const& one : memories) found.insert(found.end(), one.begin(), one.end());
    if (expected.refused.empty()) CHECK(expected.wrong(found) == 0);
  }
}

template <class Program, class T, std::size_t Rank>
void check_formats(std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  std::uint64_t const most[] = {1, 40, 14, 8, 6};
  NewArray<T> made{.shape = random.extents(Rank, 1, most[Rank])};
  made.chunks = random.extents(Rank, 1, most[Rank] / 2);
  codec::Bytes const big{test::other_endian};
  codec::Transpose const transpose{random.permutation(Rank)};
  check_array<Program, T, Rank>(Memory{}, Pipeline<space::Host, codec::Bytes>{big}, made, random);
  check_array<Program, T, Rank>(test::Remote{}, Pipeline<space::Host, codec::Bytes>{}, made, random);
  check_array<Program, T, Rank>(Memory{}, Zstd{transpose, big, {}}, made, random);
  made.shards = made.chunks;
  for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  auto const inner = std::exchange(made.chunks, {});
  check_array<Program, T, Rank>(Memory{}, Pipeline<space::Host, Shards>{Shards{inner, Zstd{transpose, big, {}}}}, made,
                                random);
}

/// 0, 1, ... n - 1
auto counted(std::uint64_t n) {
  auto const array = create_array<std::uint16_t, 1>(Memory{}, "a", {.shape = {n}, .chunks = {4}, .fill = 7});
  std::vector<std::uint16_t> elements(n);
  for (std::size_t i = 0; i < n; ++i) elements[i] = static_cast<std::uint16_t>(i);
  array.write(all, elements);
  return array;
}

}  // namespace

TEST_CASE("boxes in numbers of another type, with and without padding, of every format") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    check_formats<float, std::uint8_t, 1>(seed);
    check_formats<float, std::uint16_t, 2>(seed + 100);
    check_formats<float16, float, 3>(seed + 200);
    check_formats<std::uint8_t, std::int16_t, 2>(seed + 300);
    check_formats<double, std::int64_t, 4>(seed + 400);
    check_formats<std::int32_t, float16, 2>(seed + 500);
    check_formats<float, float, 2>(seed + 600);
  }
}

TEST_CASE("each chunk is fetched once in a call") {
  test::GatedStore const store;
  auto const array = create_array<std::uint8_t, 2>(store, "a", {.shape = {20, 30}, .chunks = {10, 10}},
                                                   Pipeline<space::Host, codec::Bytes, codec::Zstd>{});
  array.write(all, std::vector<std::uint8_t>(600, 9));
  store.gate->reads.clear();
  std::vector<Box> const boxes{{{0, 25}, {0, 25}}, {{3, 28}, {9, 34}}, {{3, 28}, {9, 34}}, {{0, 25}, {0, 25}}};
  Padding const padding{.before = {5, 5}, .after = {5, 5}, .mode = PaddingMode::reflect};
  auto const found = read_boxes_as<float>(array, boxes, {.scale = 0.5}, padding);
  CHECK(std::ranges::count(found, 4.5f) == 4 * 25 * 25);
  CHECK(store.gate->reads.size() == 6);
  for (auto const& [key, count] : store.gate->reads) CHECK(count == 1);
}

TEST_CASE("the padding's value is converted as elements are, and is missing if they would be") {
  auto const array = counted(3);
  std::vector<Box> const boxes{{{0, 4}}};
  auto const first = [&](Padding const& padding, Conversion const& conversion) {
    auto const found = read_boxes_as<double>(array, boxes, conversion, padding);
    CHECK(found(0, 1) == conversion.offset);
    CHECK(found(0, 3) == conversion.offset + 2 * conversion.scale);
    return found(0, 0);
  };
  CHECK(first({.before = {1}}, {.scale = 0.5, .offset = 10}) == 13.5);
  CHECK(first({.before = {1}, .value = 5}, {.scale = 0.5, .offset = 10}) == 12.5);
  auto const missing = first({.before = {1}}, {.missing = 7});
  CHECK(missing != missing);
  check_refused<SelectionError>([&] { (void)first({.before = {1}, .value = 0.5}, {.scale = 2}); },
                                {"found the value 0.5", "uint16"});
}

TEST_CASE("a number that does not fit is named with its box; one that no box has is not looked at") {
  auto const array = counted(600);
  std::vector<Box> boxes{{{0, 20}}, {{190, 210}}, {{250, 270}}, {{300, 320}}};
  check_refused<ConversionError>([&] { (void)read_boxes_as<std::uint8_t>(array, boxes); },
                                 {"key \"a\": element [6] of box 2 is 256, which does not fit in uint8"});
  std::vector<std::uint8_t> memory(80);
  check_refused<ConversionError>([&] { read_boxes_as(array, boxes, memory, {.offset = 100}); },
                                 {"element [0] of box 1 is 190, which with scale and offset does not fit in uint8"});
  CHECK(memory[19] == 119);
  Padding const padding{.before = {100}, .value = 300};
  boxes = {{{150, 155}}, {{98, 103}}};
  check_refused<ConversionError>([&] { (void)read_boxes_as<std::uint8_t>(array, boxes, {}, padding); },
                                 {"element [0] of box 1 is 300"});
  boxes[1] = Box{{100, 105}};
  CHECK(read_boxes_as<std::uint8_t>(array, boxes, {}, padding)(1, 4) == 4);
  boxes[1] = Box{{98, 103}};
  auto const nearest = read_boxes_as<std::uint8_t>(array, boxes, {.out_of_range = OutOfRange::saturate}, padding);
  CHECK(nearest(1, 1) == 255);
  check_refused<ConversionError>([&] { (void)read_boxes_as<std::uint8_t>(array, boxes, {.missing = 3}, padding); },
                                 {"missing numbers are read as NaN, which uint8 cannot represent"});
}

TEST_CASE("a number that does not fit and is replaced meanwhile: the boxes are read again") {
  Memory const store;
  auto const array = create_array<std::uint16_t, 1>(store, "a", {.shape = {4}, .chunks = {2}});
  array.write(all, std::vector<std::uint16_t>{1, 2, 300, 4});
  std::vector<Box> const boxes{{{0, 2}}, {{1, 3}}};
  ReadOptions options{.progress = [&](std::uint64_t done, std::uint64_t all_chunks) {
    if (done == all_chunks) array.write({{2, 3}}, std::vector<std::uint16_t>{3});
  }};
  CHECK(std::ranges::equal(read_boxes_as<std::uint8_t>(array, boxes, {}, options), std::vector{1, 2, 2, 3}));
}

TEST_CASE("a scale and an offset for each channel, each chunk decoded once; what does not suit the array is refused") {
  auto const array = create_array<std::uint8_t, 2>(Memory{}, "a", {.shape = {4, 3}, .chunks = {2, 3}});
  array.write(all, std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  std::vector<Box> const boxes{{{0, 2}, all}, {{1, 3}, all}};
  Conversion const normalised{.by_index = {.dimension = 1, .scale = {1, 0.5, 2}, .offset = {0, 10, -1}}};
  Traffic traffic;
  std::vector<float> const expected{0, 10.5f, 3, 3, 12, 9, 3, 12, 9, 6, 13.5f, 15};
  CHECK(std::ranges::equal(read_boxes_as<float>(array, boxes, normalised, {.traffic = &traffic}), expected));
  CHECK(traffic.chunks == 2);
  CHECK(traffic.placed == 12 * 4);
  Conversion const negative{.by_index = {.dimension = 1, .offset = {0, 10, -6}}};
  check_refused<ConversionError>([&] { (void)read_boxes_as<std::uint8_t>(array, boxes, negative); },
                                 {"\"a\": element [0, 2] of box 0 is 2, which with scale and offset does not fit"});
  check_refused<ConversionError>([&] { (void)read_as<float>(array, all, normalised); },
                                 {"\"a\"", "only read_boxes_as and loader_as"});
  check_refused<ConversionError>(
      [&] { (void)read_boxes_as<float>(array, boxes, {.by_index = {.dimension = 1, .scale = {1, 2}}}); },
      {"\"a\": found 2 scales, expected 3, one for each index of dimension 1"});
  check_refused<ConversionError>([&] { (void)read_boxes_as<float>(array, boxes, {.by_index = {2, {1}, {}}}); },
                                 {"found scales for dimension 2, expected one of 2"});
  check_refused<SelectionError>(
      [&] { (void)read_boxes_as<float>(array, {std::vector<Box>{{{0, 2}, all}}}, normalised, Padding{{0, 1}, {}}); },
      {"box 0 of the padded array: dimension 1: found elements beyond the array"});
}

TEST_CASE("options and conversions may be left out, or empty") {
  auto const array = counted(4);
  std::vector<Box> const boxes{Box(all), Box(all)};
  std::vector<float> memory(8);
  read_boxes_as(array, boxes, memory);
  CHECK(memory == std::vector<float>{0, 1, 2, 3, 0, 1, 2, 3});
  read_boxes_as(array, boxes, memory, {}, {});
  read_boxes_as(array, boxes, memory, {.scale = 2}, Padding{}, {});
  CHECK(memory == std::vector<float>{0, 2, 4, 6, 0, 2, 4, 6});
  auto const floats = create_array<float, 1>(Memory{}, "f", {.shape = {4}, .chunks = {4}, .fill = 2});
  Conversion const halves{.scale = 0.5};
  CHECK(read_boxes_as<float>(floats, boxes, halves)(1, 3) == 1);
  CHECK(read_boxes_as<float>(floats, boxes, halves, Padding{{1}, {}})(1, 0) == 1);
  CHECK(read_boxes_as<double>(floats, {}, {}, {}).shape() == Extents{0, 0});
  check_refused<SelectionError>([&] { read_boxes_as(array, {}, memory); }, {"memory holds 8 elements, expected 0"});
}

}  // namespace read_boxes_as_tests
