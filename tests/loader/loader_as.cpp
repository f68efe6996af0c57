// loader_as: every element of every batch compared with one that is padded and converted alone.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <support/converted_boxes.hpp>
#include <support/random_array.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

namespace loader_as_tests {

using namespace tessera;
using test::check_refused, test::HostQueue, test::Random;
using Raw = Pipeline<space::Host, codec::Bytes>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

namespace {

template <class Program, class T, std::size_t Rank, class P>
void check_loader(std::uint64_t seed, bool in_shards, P const& pipeline) {
  CAPTURE(seed);
  Random random{seed};
  test::RandomConversion<Program, T> how{random};
  NewArray<T> made{.shape = random.extents(Rank, 1, 40 / Rank), .fill = how.number(random)};
  made.chunks = random.extents(Rank, 1, 14 / Rank);
  auto const inner = made.chunks;
  if (in_shards) {
    made.shards = made.chunks;
    for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  }
  auto const array = create_array<T, Rank>(MemoryStore<HostBuffer>{}, "a", made, pipeline, HostQueue{random(1, 3)});
  for (auto const& box : test::random_boxes(random, array.shape(), 3))
    array.write(box, how.numbers(random, test::size_of(box.resolve(array.shape()).count)));
  auto const whole = array.read(all);
  std::vector<T> const in_array(whole.begin(), whole.end());
  how.choose_missing(random, in_array);
  CAPTURE(how.text());
  for (int round = 0; round < 4; ++round) {
    LoaderOptions options{.batch = random(1, 6), .ahead = random(1, 3), .horizon = random(1, 9)};
    options.on_error = OnError::go_on;
    if (!random.one_in(4)) options.cache = random(0, 2 * array.size() * sizeof(T));
    if (!random.one_in(3)) options.padding = test::random_padding(random, array.shape());
    how.choose_by_index(random, array.shape(), options.padding);
    auto value = made.fill;
    if (random.one_in(2)) options.padding.value = value = how.number(random);
    auto const padded = options.padding.padded(array.shape());
    auto box = padded;
    for (std::size_t d = 0; d < Rank; ++d) box[d] = random(1, padded[d]);
    CAPTURE(options.cache);
    UniformBoxes const sampler{padded, box, {.seed = seed}, 30};
    std::vector<Box> drawn;
    for (auto again = sampler; auto one = again();) drawn.push_back(*one);
    auto loader = loader_as<Program>(array, sampler, how.conversion, options);
    std::size_t at = 0;
    while (at < drawn.size()) {
      auto const count = std::min(options.batch, drawn.size() - at);
      std::vector<Box> const boxes(drawn.begin() + static_cast<std::ptrdiff_t>(at),
                                   drawn.begin() + static_cast<std::ptrdiff_t>(at + count));
      at += count;
      test::PaddedBoxes<T> const given{in_array, array.shape(), inner, options.padding, value, boxes};
      Extents shape{count};
      for (auto const n : box) shape.push_back(n);
      test::ConvertedBoxes<Program> const expected{given.elements, shape, how,
                                                   how.indices({boxes}, array.shape(), options.padding)};
      expected.check([&] {
        auto batch = loader.next();
        REQUIRE(batch);
        CHECK(batch->shape() == shape);
        CHECK(expected.wrong(batch->array()) == 0);
        std::ranges::fill(batch->array(), Program(123));
      });
      CHECK(loader.position() == at);
    }
    CHECK(!loader.next());
  }
}

auto counted(test::GatedStore const& store) {
  auto const array = create_array<std::uint16_t, 1>(store, "a", {.shape = {600}, .chunks = {10}}, Zstd{});
  std::vector<std::uint16_t> elements(600);
  for (std::size_t i = 0; i < 600; ++i) elements[i] = static_cast<std::uint16_t>(i);
  array.write(all, elements);
  store.gate->reads.clear();
  return array;
}

auto listed(std::vector<Box> boxes) {
  return [boxes = std::move(boxes), i = std::size_t{0}]() mutable -> std::optional<Box> {
    if (i == boxes.size()) return std::nullopt;
    return boxes[i++];
  };
}

}  // namespace

TEST_CASE("every element of every batch in numbers of another type, with every kind of cache") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    check_loader<float, std::uint8_t, 1>(seed, seed % 2 == 0, Zstd{});
    check_loader<float, std::uint16_t, 2>(seed + 100, seed % 2 == 0, Zstd{});
    check_loader<float, std::uint16_t, 2>(seed + 200, seed % 2 == 0, Raw{codec::Bytes{test::other_endian}});
    check_loader<std::uint8_t, std::int16_t, 3>(seed + 300, seed % 2 == 0, Zstd{});
    check_loader<float16, double, 2>(seed + 400, seed % 2 == 0, Zstd{});
  }
}

TEST_CASE("kept chunks are converted again, not fetched, and take the bytes of the array's numbers") {
  test::GatedStore const store;
  auto const array = counted(store);
  ShuffledGrid const boxes{array.shape(), {7}, {.seed = 1}, 5};
  auto loader = loader_as<double>(array, boxes, {.scale = 0.25, .offset = -1}, {.batch = 4, .cache = 1200});
  std::uint64_t wrong = 0;
  while (auto const batch = loader.next())
    for (std::uint64_t i = 0; i < batch->boxes().size(); ++i) {
      auto const first = batch->boxes()[i].resolve(array.shape()).first[0];
      for (std::uint64_t k = 0; k < 7; ++k) wrong += batch->array()(i, k) != static_cast<double>(first + k) / 4 - 1;
    }
  CHECK(wrong == 0);
  auto const did = loader.statistics();
  CHECK(did.boxes == 5 * 85);
  CHECK(did.decoded == 60);  // 1200 bytes are all chunks
  CHECK(did.hits == did.chunks - 60);
  for (auto const& [key, count] : store.gate->reads) CHECK(count == 1);
}

TEST_CASE("a number that does not fit: its batch throws and names it, also of a kept chunk that was replaced") {
  for (std::uint64_t const cache : {0u, 20u, 1200u}) {
    CAPTURE(cache);
    test::GatedStore const store;
    auto const array = counted(store);
    std::vector<Box> const boxes{{{240, 245}}, {{250, 255}}, {{242, 247}}, {{253, 258}}, {{0, 5}}, {{1, 6}}};
    LoaderOptions const options{.batch = 2, .cache = cache, .on_error = OnError::go_on};
    auto loader = loader_as<std::uint8_t>(array, listed(boxes), {}, options);
    CHECK(loader.next()->array()(1, 4) == 254);
    check_refused<ConversionError>([&] { (void)loader.next(); },
                                   {"key \"a\": element [3] of box 1 is 256, which does not fit in uint8"});
    CHECK(loader.next()->array()(1, 4) == 5);
    CHECK(!loader.next());
    auto nearest = loader_as<std::uint8_t>(array, listed(boxes), {.out_of_range = OutOfRange::saturate}, options);
    (void)nearest.next();
    CHECK(nearest.next()->array()(1, 4) == 255);
  }
  test::GatedStore const store;
  auto const array = counted(store);
  bool is_replaced = false;
  auto const twice = [&, i = 0]() mutable -> std::optional<Box> {
    if (++i == 3) return std::nullopt;
    if (i == 2 && !std::exchange(is_replaced, true)) array.write({{250, 260}}, std::vector<std::uint16_t>(10));
    return i == 1 ? Box{{250, 255}} : Box{{254, 259}};
  };
  auto loader = loader_as<std::uint8_t>(array, twice, {}, {.cache = 1200, .horizon = 1});
  CHECK(loader.next()->array()(0, 4) == 254);
  check_refused<ConversionError>([&] { (void)loader.next(); }, {"element [2] of box 0 is 256"});
  CHECK(is_replaced);
}

TEST_CASE("by default as many chunks are kept as by a loader of the array's own numbers") {
  test::GatedStore const store;
  auto const array = counted(store);
  UniformBoxes const boxes{array.shape(), {20}, {.seed = 4}, 200};
  Loader own{array, boxes, {.batch = 2}};
  auto other = loader_as<double>(array, boxes, {}, {.batch = 2});
  while (own.next()) CHECK(other.next());
  CHECK(own.statistics().hits == other.statistics().hits);
  CHECK(own.statistics().hits > 0);
}

TEST_CASE("what makes no sense is refused by the call") {
  test::GatedStore const store;
  auto const array = counted(store);
  UniformBoxes const boxes{array.shape(), {20}};
  check_refused<Error>([&] { (void)loader_as<float>(array, boxes, {}, {.batch = 0}); }, {"batch or ahead 0"});
  check_refused<ConversionError>([&] { (void)loader_as<int>(array, boxes, {.missing = 3}); },
                                 {"\"a\"", "missing numbers are read as NaN, which int32 cannot represent"});
  check_refused<SelectionError>(
      [&] { (void)loader_as<float>(array, boxes, {}, {.padding = {.before = {1}, .value = -1}}); },
      {"found the value -1"});

  Conversion const scaled{.by_index = {.scale = std::vector<double>(array.shape()[0], 2)}};
  auto padded = loader_as<float>(array, boxes, scaled, {.padding = {.before = {30}}});
  check_refused<SelectionError>([&] { while (padded.next()) {} },
                                {"\"a/zarr.json\": box 0 of the padded array", "whose indices have no scale"});
}

}  // namespace loader_as_tests
