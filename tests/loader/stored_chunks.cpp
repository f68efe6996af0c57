// A Loader that keeps chunks as the store has them: the same batches, and no fetch of what is kept.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <support/random.hpp>
#include <support/random_boxes.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

namespace stored_chunks_tests {

using namespace tessera;
using test::Random;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Raw = Pipeline<space::Host, codec::Bytes>;
using Shards = Pipeline<space::Host, codec::Sharding<Zstd>>;

namespace {

constexpr Keep kinds[] = {Keep::decoded, Keep::stored, Keep::either};

template <class P, class S>
void check_batches(S const& store, P const& pipeline, Extents const& shards, Random& random) {
  NewArray<std::uint16_t> made{.shape = {24, 20}, .shards = shards};
  if (shards.rank() == 0) made.chunks = {6, 5};
  auto const array = create_array<std::uint16_t, 2>(store, "a", made, pipeline, Queue<space::Host>{2});
  std::vector<std::uint16_t> elements(array.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint16_t>(i * i);
  array.write(Box{{0, 18}, all}, std::span{elements}.first(18 * 20));  // the last chunks are missing
  auto const drawn = test::random_oriented_boxes(random, array.shape(), 40);
  std::vector<std::vector<std::uint16_t>> expected;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    auto const one = array.read(drawn.boxes[i]);
    expected.push_back(drawn.some(i, 1).turned(std::vector<std::uint16_t>(one.begin(), one.end()), array.shape()));
  }
  for (auto const keep : kinds)
    for (std::uint64_t const cache : {0u, 1u, 70u, 300u, 1000u, 1u << 20}) {
      CAPTURE(static_cast<int>(keep));
      CAPTURE(cache);
      Loader loader{array, drawn.sampler(), {.batch = random(1, 6), .cache = cache, .keep = keep}};
      std::size_t at = 0;
      while (auto batch = loader.next()) {
        auto const size = batch->shape()[0];
        auto const all_of_batch = std::span{batch->array().data(), static_cast<std::size_t>(batch->array().size())};
        for (std::size_t i = 0; i < size; ++i) {
          auto const each = all_of_batch.size() / size;
          CHECK(std::ranges::equal(all_of_batch.subspan(i * each, each), expected[at++]));
        }
      }
      CHECK(at == drawn.size());
      auto const did = loader.statistics();
      CHECK(did.hits + did.decoded <= did.chunks);
      if (keep == Keep::decoded) CHECK(did.kept == 0);
      if (keep == Keep::stored) CHECK(did.hits == 0);
      if (cache == 0) CHECK(did.hits + did.kept == 0);
    }
}

/// Boxes of one element, in the chunks of ten elements with these numbers.
auto in_chunks(std::vector<std::uint64_t> numbers) {
  return [numbers = std::move(numbers), i = std::size_t{0}]() mutable -> std::optional<Box> {
    if (i == numbers.size()) return std::nullopt;
    auto const first = numbers[i] * 10 + i % 10;
    ++i;
    return Box{{first, first + 1}};
  };
}

template <class P = Zstd>
auto numbered(test::GatedStore const& store, P const& pipeline = {}, Extents const& shards = {}) {
  NewArray<int> made{.shape = {40}, .shards = shards};
  if (shards.rank() == 0) made.chunks = {10};
  auto const array = create_array<int, 1>(store, "a", made, pipeline, Queue<space::Host>{2});
  std::vector<int> elements(40);
  for (int i = 0; i < 40; ++i) elements[static_cast<std::size_t>(i)] = i;
  array.write(all, elements);
  store.gate->reads.clear();
  return array;
}

template <class A>
LoaderStatistics loaded(A const& array, std::vector<std::uint64_t> const& chunks, LoaderOptions const& options) {
  Loader loader{array, in_chunks(chunks), options};
  std::size_t i = 0;
  while (auto batch = loader.next())
    for (auto const element : batch->array()) {
      CHECK(element == static_cast<int>(chunks[i] * 10 + i % 10));
      ++i;
    }
  CHECK(i == chunks.size());
  return loader.statistics();
}

std::uint64_t stored_bytes(test::GatedStore const& store, std::initializer_list<char const*> keys) {
  std::uint64_t sum = 0;
  for (auto const* key : keys) sum += test::value(store.inner, key).size();
  return sum;
}

}  // namespace

TEST_CASE("the same batches, whatever is kept, for every budget, store and format") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    test::TemporaryFolder const folder;
    check_batches(MemoryStore<HostBuffer>{}, Raw{}, {}, random);
    check_batches(MemoryStore<HostBuffer>{}, Zstd{}, {}, random);
    check_batches(test::Remote{}, Zstd{}, {}, random);
    check_batches(LocalStore<HostBuffer>{folder / ""}, Zstd{}, {}, random);
    Shards const shards{{Extents{6, 5}, Zstd{}}};
    check_batches(MemoryStore<HostBuffer>{}, shards, {12, 10}, random);
    check_batches(test::Remote{}, shards, {12, 10}, random);
  }
}

TEST_CASE("a chunk whose stored bytes are kept is decoded again, and not fetched") {
  test::GatedStore const store;
  auto const array = numbered(store);
  std::vector<std::uint64_t> const chunks{0, 1, 2, 3, 3, 2, 1, 0, 0, 2, 1, 3};
  auto const did = loaded(array, chunks, {.cache = 1 << 20, .keep = Keep::stored});
  CHECK(store.gate->reads == std::map<std::string, int>{{"a/c/0", 1}, {"a/c/1", 1}, {"a/c/2", 1}, {"a/c/3", 1}});
  CHECK(did.chunks == 12);
  CHECK(did.decoded == 12);
  CHECK(did.kept == 8);
  CHECK(did.hits == 0);
  CHECK(did.bytes == stored_bytes(store, {"a/c/0", "a/c/1", "a/c/2", "a/c/3"}));

  store.gate->reads.clear();
  auto const without = loaded(array, chunks, {.cache = 0, .keep = Keep::stored});
  CHECK(store.gate->reads["a/c/2"] == 3);
  CHECK(without.kept == 0);
  CHECK(without.bytes == 3 * did.bytes);
}

TEST_CASE("of stored bytes, the least recently used leave first") {
  test::GatedStore const store;
  auto const array = numbered(store);
  auto const two = stored_bytes(store, {"a/c/0", "a/c/1"});
  REQUIRE(2 * stored_bytes(store, {"a/c/2"}) == two);
  (void)loaded(array, {0, 1, 0, 2, 0, 1, 1}, {.cache = two, .keep = Keep::stored});
  CHECK(store.gate->reads == std::map<std::string, int>{{"a/c/0", 1}, {"a/c/1", 2}, {"a/c/2", 1}});
}

TEST_CASE("inner chunks of a shard, and its index, are fetched once, one range for each") {
  test::GatedStore const store;
  auto const array = numbered(store, Shards{{Extents{10}, Zstd{}}}, {20});
  auto const did = loaded(array, {0, 1, 2, 3, 3, 2, 1, 0}, {.cache = 1 << 20, .keep = Keep::stored});
  CHECK(store.gate->reads == std::map<std::string, int>{{"a/c/0", 3}, {"a/c/1", 3}});
  CHECK(did.decoded == 8);
  CHECK(did.bytes == stored_bytes(store, {"a/c/0", "a/c/1"}));
}

TEST_CASE("of either kind, decoded chunks are kept if the budget has room for all, and else stored bytes") {
  test::GatedStore const store;
  auto const array = numbered(store);
  std::vector<std::uint64_t> const chunks{0, 1, 2, 3, 3, 2, 1, 0};
  auto const fits = loaded(array, chunks, {.cache = 4 * 40, .keep = Keep::either});
  CHECK(fits.hits == 4);
  CHECK(fits.kept == 0);
  auto const is_short = loaded(array, chunks, {.cache = 4 * 40 - 1, .keep = Keep::either});
  CHECK(is_short.hits == 0);
  CHECK(is_short.kept > 0);
}

TEST_CASE("a damaged chunk whose bytes are kept: each batch that wants it throws, with the key, and others go on") {
  test::GatedStore const store;
  auto const array = numbered(store);
  test::put(store.inner, "a/c/2", "damaged");
  Loader loader{array, in_chunks({0, 2, 1, 2, 3}),
                {.cache = 1 << 20, .keep = Keep::stored, .on_error = OnError::go_on}};
  for (int const chunk : {0, 2, 1, 2, 3})
    if (chunk == 2)
      test::check_refused<CodecError>([&] { (void)loader.next(); }, {"\"a/c/2\"", "zstd"});
    else
      CHECK(loader.next()->array()(0, 0) / 10 == chunk);
  CHECK(!loader.next());
}

TEST_CASE("a chunk that was written since is read anew, if the store tells of it") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<int, 1>(store, "a", {.shape = {10}, .chunks = {10}}, Zstd{});
  array.write(all, std::vector<int>(10, 1));
  int drawn = 0;
  Loader loader{array,
                [&]() -> std::optional<Box> {
                  if (drawn == 1) array.write(all, std::vector<int>(10, 2));
                  return drawn++ < 2 ? std::optional{Box{{0, 1}}} : std::nullopt;
                },
                {.ahead = 1, .cache = 1 << 20, .keep = Keep::stored}};
  CHECK(loader.next()->array()(0, 0) == 1);
  CHECK(loader.next()->array()(0, 0) == 2);
}

TEST_CASE("a shard that this process replaces: its kept index is not used for the new value") {
  test::GatedStore const store;  // does not tell of changes
  Shards const shards{{Extents{10}, Zstd{}}};
  auto const array = create_array<int, 1>(store, "a", {.shape = {30}, .shards = {30}}, shards);
  std::vector<int> elements(30, 1);
  std::fill_n(elements.begin(), 10, 0);  // missing in the shard: later chunks lie ahead
  array.write(all, elements);
  std::uint64_t drawn = 0;
  Loader loader{array,
                [&]() -> std::optional<Box> {
                  if (drawn == 1) {
                    for (int i = 0; i < 30; ++i) elements[static_cast<std::size_t>(i)] = 100 + i;
                    array.write(all, elements);
                  }
                  ++drawn;
                  return drawn < 3 ? std::optional{Box{{drawn * 10, drawn * 10 + 1}}} : std::nullopt;
                },
                {.ahead = 1, .cache = 1 << 20, .keep = Keep::stored}};
  CHECK(loader.next()->array()(0, 0) == 1);
  CHECK(loader.next()->array()(0, 0) == 120);
}

}  // namespace stored_chunks_tests
