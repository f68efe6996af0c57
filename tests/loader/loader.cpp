// Loader: every box of every batch, compared with a plain read, and what is fetched for them.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <support/random_array.hpp>
#include <support/random_boxes.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <support/written_array.hpp>
#include <tessera/loader/loader.hpp>
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
  if (!random.one_in(3)) options.cache = random.one_in(3) ? 0 : random(0, most_bytes);
  options.horizon = random(1, 9);
  return options;
}

/// Takes all batches, of which some are held for a while.
template <class L, class A>
void check_batches(L& loader, A const& array, std::vector<Box> const& boxes, LoaderOptions const& options,
                   Random& random) {
  using T = typename A::element_type;
  std::vector<typename L::batch_type> held;
  std::size_t at = 0, wrong = 0;
  while (auto batch = loader.next()) {
    CHECK(batch->first() == at);
    CHECK(batch->boxes().size() == std::min(options.batch, boxes.size() - at));
    CHECK(batch->shape()[0] == batch->boxes().size());
    std::vector<T> expected;
    for (auto const& box : batch->boxes()) {
      auto const one = array.read(boxes[at]);
      CHECK(box.resolve(array.shape()).first == boxes[at].resolve(array.shape()).first);
      expected.insert(expected.end(), one.begin(), one.end());
      ++at;
    }
    wrong += !std::ranges::equal(batch->array(), expected);
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
    auto const boxes = test::random_boxes(random, array.shape(), random(0, 30));
    auto const options = random_options(random, 2 * array.size() * sizeof(T));
    Loader loader{array, listed(boxes), options};
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

TEST_CASE("options that make no sense are refused") {
  auto const array = numbered(Memory{}, {40, 60}, {10, 10});
  UniformBoxes const sampler{{40, 60}, {6, 6}};
  test::check_refused<Error>([&] { Loader(array, sampler, {.batch = 0}); }, {"batch or ahead 0"});
  test::check_refused<Error>([&] { Loader(array, sampler, {.ahead = 0}); }, {"batch or ahead 0"});
}

}  // namespace loader_tests
