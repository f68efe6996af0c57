// Loader: every box of every batch, compared with a plain read, and what is fetched for them.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <support/random_array.hpp>
#include <support/random_boxes.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <support/written_array.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/loader/zipped_loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

namespace loader_tests {

using namespace tessera;
using test::HostQueue, test::Random;
using Memory = MemoryStore<HostBuffer>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Shards = codec::Sharding<Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>>;

namespace {

/// A list of boxes as a sampler.
auto listed(std::vector<Box> boxes) {
  return [boxes = std::move(boxes), i = std::size_t{0}]() mutable -> std::optional<Box> {
    if (i == boxes.size()) return std::nullopt;
    return boxes[i++];
  };
}

LoaderOptions random_options(Random& random, std::uint64_t most_bytes) {
  LoaderOptions options;
  options.batch = random(1, 6);
  options.ahead = random(1, 4);
  options.together = random(1, options.ahead);
  if (!random.one_in(3)) options.cache = random.one_in(3) ? 0 : random(0, most_bytes);
  options.horizon = random(1, 9);
  return options;
}

/// Takes all batches, of which some are held for a while.
template <class L, class A>
void check_batches(L& loader, A const& array, test::OrientedBoxes const& boxes, LoaderOptions const& options,
                   Random& random) {
  using T = typename A::element_type;
  std::vector<typename L::batch_type> held;
  std::size_t at = 0, wrong = 0;
  while (auto batch = loader.next()) {
    CHECK(batch->first() == at);
    CHECK(batch->boxes().size() == std::min(options.batch, boxes.size() - at));
    CHECK(batch->shape()[0] == batch->boxes().size());
    std::vector<T> expected;
    auto const some = boxes.some(at, batch->boxes().size());
    for (std::size_t i = 0; i < some.size(); ++i) {
      auto const one = array.read(some.boxes[i]);
      CHECK(batch->boxes()[i].resolve(array.shape()).first == some.boxes[i].resolve(array.shape()).first);
      expected.insert(expected.end(), one.begin(), one.end());
    }
    at += some.size();
    wrong += !std::ranges::equal(batch->array(), some.turned(expected, array.shape()));
    if (!batch->orientations().empty()) CHECK(std::ranges::equal(batch->orientations(), some.orientations));
    std::ranges::fill(batch->array(), T(123));  // a batch is the program's
    CHECK(loader.position() == at);
    if (random.one_in(3)) held.push_back(*std::move(batch));
    if (random.one_in(3)) held.clear();
  }
  CHECK(wrong == 0);
  CHECK(at == boxes.size());
  CHECK(!loader.next());
}

/// One array, of which some chunks are missing.
template <class T, std::size_t Rank, class P, class S>
void check_loader(S const& store, P const& pipeline, NewArray<T> made, Random& random) {
  auto const array = create_array<T, Rank>(store, "a", made, pipeline, HostQueue{random(1, 3)});
  for (auto const& box : test::random_boxes(random, array.shape(), 3)) {
    std::vector<T> elements(test::size_of(box.resolve(array.shape()).count));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(i * 5 + 1);
    array.write(box, elements);
  }
  for (int round = 0; round < 3; ++round) {
    auto const boxes = test::random_oriented_boxes(random, array.shape(), random(0, 30));
    auto const options = random_options(random, 2 * array.size() * sizeof(T));
    Loader loader{array, boxes.sampler(), options};
    check_batches(loader, array, boxes, options, random);
    auto const found = loader.statistics();
    CHECK(found.boxes == boxes.size());
    CHECK(found.batches == (boxes.size() + options.batch - 1) / options.batch);
    CHECK(found.hits + found.decoded <= found.chunks);
    CHECK((found.share_waited() >= 0 && found.share_waited() <= 1));
  }
}

template <class T, std::size_t Rank>
void check_formats(std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  std::uint64_t const most[] = {1, 60, 20, 12};
  NewArray<T> made{.shape = random.extents(Rank, 1, most[Rank]), .fill = T(77)};
  made.chunks = random.extents(Rank, 1, most[Rank] / 3);
  codec::Bytes const big{test::other_endian};
  codec::Transpose const transpose{random.permutation(Rank)};
  check_loader<T, Rank>(Memory{}, Pipeline<space::Host, codec::Bytes>{big}, made, random);
  check_loader<T, Rank>(test::Remote{}, Pipeline<space::Host, codec::Bytes>{}, made, random);
  check_loader<T, Rank>(
      Memory{}, Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>{transpose, big, {}}, made, random);
  made.format = ZarrFormat::v2;
  check_loader<T, Rank>(Memory{}, Zstd{}, made, random);
  made.format = ZarrFormat::v3;
  made.shards = made.chunks;
  for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 4);
  auto const inner = std::exchange(made.chunks, {});
  Shards const shards{inner, Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>{transpose, big, {}}};
  check_loader<T, Rank>(Memory{}, Pipeline<space::Host, Shards>{shards}, made, random);
  check_loader<T, Rank>(test::Remote{}, Pipeline<space::Host, Shards>{shards}, made, random);
}

template <class S>
auto numbered(S const& store, Extents const& shape, Extents const& chunks) {
  auto const array =
      create_array<std::uint16_t, 2>(store, "a", {.shape = shape, .chunks = chunks}, Zstd{}, HostQueue{2});
  std::vector<std::uint16_t> elements(array.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint16_t>(i * 13);
  array.write(all, elements);
  return array;
}

}  // namespace

TEST_CASE("every box of every batch is what a read gives, of every format, with every kind of cache") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    check_formats<std::uint8_t, 1>(seed);
    check_formats<std::int16_t, 2>(seed + 100);
    check_formats<float, 3>(seed + 200);
  }
}

TEST_CASE("with a cache as large as the array, each chunk is fetched once in all") {
  test::GatedStore const store;
  auto const array = numbered(store, {40, 60}, {10, 10});
  store.gate->reads.clear();
  Loader loader{array, ShuffledGrid{{40, 60}, {7, 9}, {.seed = 1}, 5}, {.batch = 4, .cache = 4800}};
  std::size_t boxes = 0;
  while (auto const batch = loader.next()) boxes += batch->boxes().size();
  CHECK(boxes == 5 * 5 * 6);
  CHECK(store.gate->reads.size() == 24);
  for (auto const& read : store.gate->reads) {
    CAPTURE(read.first);
    CHECK(read.second == 1);
  }
  auto const found = loader.statistics();
  CHECK(found.decoded == 24);
  CHECK(found.hits == found.chunks - 24);
}

TEST_CASE("without a cache, each chunk is fetched once in a batch; one byte less than a chunk is no cache") {
  for (std::uint64_t const cache : {0u, 199u}) {
    test::GatedStore const store;
    auto const array = numbered(store, {40, 60}, {10, 10});
    store.gate->reads.clear();
    Loader loader{array, listed(std::vector<Box>(6, Box{{5, 15}, {5, 15}})), {.batch = 3, .cache = cache}};
    while (loader.next()) {
    }
    CHECK(store.gate->reads.size() == 4);
    for (auto const& [key, count] : store.gate->reads) CHECK(count == 2);
    CHECK(loader.statistics().hits == 0);
    CHECK(loader.statistics().decoded == 8);
    CHECK(loader.statistics().chunks == 8);
  }
}

TEST_CASE("the boxes ahead say which chunk to keep") {
  // A circle of four chunks, of which three fit.
  for (auto const& [horizon, expected] : {std::pair{1u, 40u}, std::pair{40u, 13u}}) {
    test::GatedStore const store;
    auto const array = numbered(store, {10, 40}, {10, 10});
    std::vector<Box> boxes;
    for (std::uint64_t i = 0; i < 40; ++i) boxes.push_back(Box{{2, 5}, {i % 4 * 10 + 3, i % 4 * 10 + 6}});
    Loader loader{array, listed(boxes), {.cache = 600, .horizon = horizon}};
    while (loader.next()) {
    }
    CHECK(loader.statistics().decoded == expected);
    CHECK(loader.statistics().hits == 40 - expected);
  }
}

TEST_CASE("a loader of an equal sampler that seeks the position goes on where another one ended") {
  auto const array = numbered(Memory{}, {40, 60}, {10, 10});
  UniformBoxes const sampler{{40, 60}, {6, 6}, {.seed = 3}, 40};
  auto const first_of = [](auto const& batch) { return batch->array().elements()[0]; };
  std::vector<int> whole, parts;
  Loader alone{array, sampler, {.batch = 4}};
  while (auto const batch = alone.next()) whole.push_back(first_of(batch));
  std::uint64_t position = 0;
  for (int i = 0; i < 5; ++i) {
    auto rest = sampler;
    rest.seek(position);
    Loader loader{array, rest, {.batch = 4, .cache = 1000}};
    for (int k = 0; k < 2; ++k) parts.push_back(first_of(loader.next()));
    position += loader.position();
  }
  CHECK(parts == whole);
}

TEST_CASE("batches outlive their loader, and threads share one") {
  auto const array = numbered(Memory{}, {40, 60}, {10, 10});
  auto loader = std::make_unique<Loader<std::uint16_t, 2, Memory, Zstd>>(array, UniformBoxes{{40, 60}, {6, 6}, {}, 200},
                                                                         LoaderOptions{.batch = 2, .cache = 2000});
  auto const kept = loader->next();
  std::atomic<std::size_t> boxes{kept->boxes().size()}, wrong{0};
  auto const use = [&] {
    while (auto const batch = loader->next()) {
      boxes += batch->boxes().size();
      wrong += batch->array()(1, 0, 0) != array.read(batch->boxes()[1])(0, 0);
    }
  };
  std::thread other{use};
  use();
  other.join();
  CHECK(boxes == 200);
  CHECK(wrong == 0);
  loader.reset();
  CHECK(kept->array()(0, 0, 0) == array.read(kept->boxes()[0])(0, 0));
}

TEST_CASE("a sampler of one's own, by reference") {
  auto const array = numbered(Memory{}, {40, 60}, {10, 10});
  UniformBoxes sampler{{40, 60}, {6, 6}, {}, 10};
  {
    Loader loader{array, std::ref(sampler), {.batch = 4}};
    while (loader.next()) {
    }
  }
  CHECK(sampler.position() == 10);
}

namespace {

/// An image with channels, and labels of other numbers in other chunks.
struct Pair {
  test::GatedStore store{};
  Array<float, 3, test::GatedStore, Zstd> image;
  Array<std::uint8_t, 2, test::GatedStore, Zstd> labels;

  Pair()
      : image{create_array<float, 3>(store, "image", {.shape = {3, 40, 60}, .chunks = {2, 10, 10}}, Zstd{})},
        labels{create_array<std::uint8_t, 2>(store, "labels", {.shape = {40, 60}, .chunks = {7, 9}}, Zstd{})} {
    std::vector<float> elements(image.size());
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i) / 3;
    image.write(all, elements);
    std::vector<std::uint8_t> classes(labels.size());
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<std::uint8_t>(i * 7);
    labels.write(all, classes);
    store.gate->reads.clear();
  }
};

}  // namespace

TEST_CASE("a zipped loader has the same boxes of an image with channels and of its labels, each drawn once") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    Pair const both;
    LoaderOptions options = random_options(random, 20'000);
    options.padding = {.before = {4, 0}, .after = {1, 9}, .mode = PaddingMode(random(0, 2))};
    auto const padded = options.padding.padded(both.labels.shape());
    std::size_t drawn = 0;
    auto const draw = [&]() -> std::optional<OrientedBox> {  // by reference: a second call would be another box
      if (drawn == 23) return std::nullopt;
      ++drawn;
      Orientation turned{.axes = random.one_in(2) ? Extents{1, 0} : Extents{}};
      if (random.one_in(2)) turned.flip.push_back(random(0, 1));
      auto const y = random(0, padded[0] - 8), x = random(0, padded[1] - 16);
      return OrientedBox{random.one_in(2) ? Box{{y, y + 8}, {x, x + 16, 2}} : Box{{y, y + 8}, {x, x + 8}}, turned};
    };
    ZippedLoader loader{std::tie(both.image, both.labels), draw, options};
    std::size_t boxes = 0;
    while (auto const batches = loader.next()) {
      auto const& [of_image, of_labels] = *batches;
      boxes += of_labels.boxes().size();
      CHECK(of_image.shape() == Extents{of_labels.boxes().size(), 3, 8, 8});
      Padding around = options.padding;
      BoxList const plain{of_labels.boxes(), of_labels.orientations()};
      CHECK(std::ranges::equal(of_labels.array(), read_boxes(both.labels, plain, around)));
      around.before = {0, 4, 0}, around.after = {0, 1, 9};
      for (std::size_t c = 0; c < 3; ++c) {
        std::vector<Box> of_channel;
        for (auto const& box : of_labels.boxes()) {
          auto const region = box.resolve(padded);
          std::vector<Slice> slices{c};
          for (std::size_t d = 0; d < 2; ++d)
            slices.push_back(
                {region.first[d], region.first[d] + (region.count[d] - 1) * region.step[d] + 1, region.step[d]});
          of_channel.emplace_back(std::move(slices));
        }
        std::vector<Orientation> turned;
        for (auto const& [flip, axes] : of_labels.orientations()) {
          turned.emplace_back();
          for (auto const d : flip) turned.back().flip.push_back(d + 1);
          if (axes.rank() > 0) turned.back().axes = {0, axes[0] + 1, axes[1] + 1};
        }
        auto const expected = read_boxes(both.image, {of_channel, turned}, around);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < of_channel.size(); ++i)
          for (std::size_t y = 0; y < 8; ++y)
            for (std::size_t x = 0; x < 8; ++x) wrong += of_image.array()(i, c, y, x) != expected(i, 0, y, x);
        CHECK(wrong == 0);
      }
      CHECK(loader.position() == boxes);
    }
    CHECK(boxes == 23);
    CHECK(!loader.next());
  }
}

TEST_CASE("with caches as large as the arrays a zipped loader fetches each chunk of each array once") {
  Pair const both;
  LoaderOptions const options{.batch = 4, .cache = 50'000};
  ZippedLoader loader{std::tie(both.image, both.labels), ShuffledGrid{{40, 60}, {7, 9}, {.seed = 1}, 3}, options};
  while (loader.next()) {
  }
  CHECK(loader.loader<0>().statistics().boxes == 3 * 5 * 6);
  CHECK(loader.loader<0>().statistics().decoded == 2 * 24);
  CHECK(loader.loader<1>().statistics().decoded == 5 * 6);
  for (auto const& read : both.store.gate->reads) {
    CAPTURE(read.first);
    CHECK(read.second == 1);
  }
}

TEST_CASE("loaders of other options zipped; after an error of one of them they stay in step") {
  Pair const both;
  test::put(both.store.inner, "labels/c/0/1", "damaged");
  auto const boxes = listed({{{0, 5}, {0, 5}}, {{0, 5}, {9, 14}}, {{20, 25}, {9, 14}}});
  auto const of_image = [&] {
    return [draw = boxes]() mutable -> std::optional<Box> {
      if (auto const box = draw()) {
        auto const at = box->resolve({40, 60}).first;
        return Box{0, {at[0], at[0] + 5}, {at[1], at[1] + 5}};
      }
      return std::nullopt;
    };
  };
  ZippedLoader loader{Loader{both.image, of_image()}, Loader{both.labels, boxes, {.on_error = OnError::go_on}}};
  auto first = loader.next();
  CHECK(std::get<1>(*first).array()(0, 0, 1) == 7);
  test::check_refused<CodecError>([&] { (void)loader.next(); }, {"\"labels/c/0/1\"", "zstd"});
  auto const last = loader.next();
  CHECK(std::get<0>(*last).first() == 2);
  CHECK(std::get<1>(*last).first() == 2);
  CHECK(!loader.next());

  auto const throws = [i = 0]() mutable -> std::optional<Box> {
    if (++i == 2) throw std::runtime_error{"no more"};
    return Box{{0, 5}, {0, 5}};
  };
  ZippedLoader other{std::tie(both.labels, both.image), throws};
  CHECK(other.next());
  CHECK_THROWS_WITH((void)other.next(), "no more");
  CHECK(!other.next());
  ZippedLoader cancelled{std::tie(both.labels, both.labels), UniformBoxes{{40, 60}, {2, 2}}};
  cancelled.cancel();
  CHECK_THROWS_AS((void)cancelled.next(), Cancelled);
}

TEST_CASE("options that make no sense are refused") {
  auto const array = numbered(Memory{}, {40, 60}, {10, 10});
  UniformBoxes const sampler{{40, 60}, {6, 6}};
  test::check_refused<Error>([&] { Loader(array, sampler, {.batch = 0}); }, {"batch or ahead 0"});
  test::check_refused<Error>([&] { Loader(array, sampler, {.ahead = 0}); }, {"batch or ahead 0"});
  test::check_refused<Error>([&] { Loader(array, sampler, {.ahead = (std::size_t{1} << 20) + 1}); }, {"1048577"});
  test::check_refused<Error>([&] { Loader(array, sampler, {.ahead = ~std::size_t{0}}); }, {"at most 1048576"});
}

TEST_CASE("boxes of an array with more chunks than 64 bits can number, with every kind of cache") {
  auto const length = std::uint64_t{1} << 40;
  auto const array = create_array<std::uint8_t, 2>(
      Memory{}, "a", {.shape = {length, length}, .chunks = {16, 16}, .fill = 9}, Zstd{}, HostQueue{2});
  array.write({{length - 20, length - 4}, {length - 20, length - 4}}, std::vector<std::uint8_t>(16 * 16, 5));
  std::vector<Box> const boxes{{{length - 8, length}, {length - 8, length}}, {{0, 8}, {0, 8}}};
  for (auto const keep : {Keep::decoded, Keep::stored, Keep::either})
    for (std::uint64_t const cache : {0u, 5000u, 1u}) {
      LoaderOptions options{.keep = keep};
      if (cache != 1) options.cache = cache;
      Loader loader{array, listed({boxes[0], boxes[1], boxes[0]}), options};
      for (std::size_t const of : {0u, 1u, 0u}) {
        auto const batch = loader.next();
        REQUIRE(batch);
        auto const expected = array.read(boxes[of]);
        CHECK(std::equal(expected.data(), expected.data() + expected.size(), batch->array().data()));
      }
      CHECK_FALSE(loader.next());
    }
}

}  // namespace loader_tests
