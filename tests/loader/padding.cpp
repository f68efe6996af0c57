// Loader with padding: every box of every batch, compared element by element with what numpy.pad defines.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <support/padded.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

namespace loader_padding_tests {

using namespace tessera;
using test::HostQueue, test::Random;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

namespace {

template <class T, std::size_t Rank>
void check_loader(std::uint64_t seed, bool in_shards) {
  CAPTURE(seed);
  Random random{seed};
  NewArray<T> made{.shape = random.extents(Rank, 1, 40 / Rank), .fill = T(77)};
  made.chunks = random.extents(Rank, 1, 14 / Rank);
  auto const inner = made.chunks;
  if (in_shards) {
    made.shards = made.chunks;
    for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  }
  auto const array = create_array<T, Rank>(MemoryStore<HostBuffer>{}, "a", made, Zstd{}, HostQueue{random(1, 3)});
  for (auto const& box : test::random_boxes(random, array.shape(), 3)) {
    std::vector<T> elements(test::size_of(box.resolve(array.shape()).count));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(i * 5 + 1);
    array.write(box, elements);
  }
  auto const whole = array.read(all);
  std::vector<T> const in_array(whole.begin(), whole.end());
  for (int round = 0; round < 4; ++round) {
    LoaderOptions options{.batch = random(1, 6), .ahead = random(1, 3), .horizon = random(1, 9)};
    if (!random.one_in(4)) options.cache = random(0, 2 * array.size() * sizeof(T));
    options.padding = test::random_padding(random, array.shape());
    auto value = made.fill;
    if (random.one_in(2)) options.padding.value = value = T(99);
    auto const padded = options.padding.padded(array.shape());
    auto box = padded;
    for (std::size_t d = 0; d < Rank; ++d) box[d] = random(1, padded[d]);
    CAPTURE(options.cache);
    Loader loader{array, UniformBoxes{padded, box, {.seed = seed}, 30}, options};
    std::size_t wrong = 0, boxes = 0;
    while (auto const batch = loader.next()) {
      std::vector<Box> const drawn(batch->boxes().begin(), batch->boxes().end());
      boxes += drawn.size();
      test::PaddedBoxes<T> const expected{in_array, array.shape(), inner, options.padding, value, drawn};
      wrong += !std::ranges::equal(batch->array(), expected.elements);
    }
    CHECK(wrong == 0);
    CHECK(boxes == 30);
  }
}

auto counted(test::GatedStore const& store) {
  auto const array = create_array<std::uint16_t, 2>(store, "a", {.shape = {20, 30}, .chunks = {10, 10}}, Zstd{});
  std::vector<std::uint16_t> elements(array.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint16_t>(i + 1);
  array.write(all, elements);
  store.gate->reads.clear();
  return array;
}

}  // namespace

TEST_CASE("every box of every batch of a padded array is what numpy.pad gives, with every kind of cache") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    check_loader<std::uint8_t, 1>(seed, seed % 2 == 0);
    check_loader<std::int16_t, 2>(seed + 100, seed % 2 == 0);
    check_loader<float, 3>(seed + 200, seed % 2 == 0);
  }
}

TEST_CASE("mirrored chunks are kept as others are: each is fetched once in all") {
  test::GatedStore const store;
  auto const array = counted(store);
  Padding const padding{.before = {9, 9}, .after = {9, 9}, .mode = PaddingMode::reflect};
  ShuffledGrid const boxes{padding.padded(array.shape()), {7, 8}, {.seed = 1}, 3};
  Loader loader{array, boxes, {.batch = 4, .cache = 1200, .padding = padding}};
  while (loader.next()) {
  }
  CHECK(loader.statistics().boxes == 3 * 5 * 6);
  CHECK(loader.statistics().decoded == 6);
  for (auto const& read : store.gate->reads) {
    CAPTURE(read.first);
    CHECK(read.second == 1);
  }
}

TEST_CASE("padding that does not suit the array is refused by the constructor, and boxes beyond it in their batch") {
  test::GatedStore const store;
  auto const array = counted(store);
  UniformBoxes const boxes{{22, 32}, {22, 32}, {}, 1};
  test::check_refused<SelectionError>([&] { Loader(array, boxes, {.padding = {.before = {1}}}); },
                                      {"\"a/zarr.json\": padding: found before of 1 dimensions, expected 2"});
  test::check_refused<SelectionError>(
      [&] {
        Loader(array, boxes, {.padding = {.before = {1, 1}, .value = -1}});
      },
      {"\"a/zarr.json\"", "found the value -1"});
  Loader loader{array, boxes, {.padding = {.before = {1, 1}, .after = {1, 0}}}};
  test::check_refused<SelectionError>(
      [&] { (void)loader.next(); },
      {"\"a/zarr.json\": box 0 of the padded array: dimension 1: found 0:32:1", "stop <= 31"});
}

TEST_CASE("few elements far apart in mirrored padding: what lies between them takes no time") {
  auto const array =
      create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {3}, .chunks = {2}}, Zstd{}, HostQueue{});
  array.write(all, std::vector{10, 11, 12});
  auto const far = std::uint64_t{1} << 50;  // a multiple of 4, the length after which the mirrored array repeats
  Padding const padding{.before = {far}, .after = {far}, .mode = PaddingMode::reflect};
  std::vector<Box> const boxes{Box{{0, 2 * far, far / 2 + 1}}, Box{{1, 2 * far, far / 2 + 1}}};
  std::size_t next = 0;
  Loader loader{array, [&] { return next < boxes.size() ? std::optional{boxes[next++]} : std::nullopt; },
                {.batch = 2, .padding = padding}};
  auto const batch = loader.next();
  std::vector<int> const expected{10, 11, 12, 11, 11, 12, 11, 10};
  CHECK(std::equal(expected.begin(), expected.end(), batch->array().data()));
}

}  // namespace loader_padding_tests
