// A Loader without the option `cache`: it keeps twice as many bytes of chunks as `ahead` + 2 batches have.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/large_allocations.hpp>
#include <support/refused.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

namespace usual_cache_tests {

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using Raw = Pipeline<space::Host, codec::Bytes>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Shards = Pipeline<space::Host, codec::Sharding<Raw>>;

namespace {

/// Four chunks of 100 bytes.
template <class P = Zstd>
auto four_chunks(P const& pipeline = {}, Extents const& shards = {}) {
  NewArray<std::uint8_t> made{.shape = {10, 40}, .shards = shards, .chunks = {10, 10}};
  if constexpr (std::same_as<P, Shards>) made.chunks = {};
  auto const array = create_array<std::uint8_t, 2>(Memory{}, "a", made, pipeline, Queue<space::Host>{2});
  array.write(all, std::vector<std::uint8_t>(400, 1));
  return array;
}

/// 40 boxes of that shape, each in the next of four chunks, around.
auto in_a_circle(Extents const& box) {
  return [box, i = std::uint64_t{0}]() mutable -> std::optional<Box> {
    if (i == 40) return std::nullopt;
    auto const first = i++ % 4 * 10;
    return Box{{0, box[0]}, {first, first + box[1]}};
  };
}

template <class A>
LoaderStatistics loaded(A const& array, Extents const& box, LoaderOptions const& options) {
  Loader loader{array, in_a_circle(box), options};
  while (loader.next()) {
  }
  return loader.statistics();
}

/// Of a circle of four chunks, so many stay, and the others are decoded whenever a batch wants them.
std::uint64_t decoded_if_kept(std::uint64_t chunks) { return chunks + (4 - chunks) * 10; }

}  // namespace

TEST_CASE("by default, twice as many bytes of chunks are kept as ahead + 2 batches have") {
  struct Case {
    Extents box;
    std::size_t batch, ahead;
    std::uint64_t kept;
  };
  Case const cases[] = {{{4, 4}, 1, 1, 0},                                           // 96 bytes
                        {{5, 5}, 1, 1, 1},                                           // 150 bytes
                        {{3, 8}, 1, 2, 1},                                           // 192 bytes
                        {{5, 5}, 1, 2, 2},                                           // 200 bytes
                        {{7, 7}, 1, 1, 2},                                           // 294 bytes
                        {{5, 5}, 1, 4, 3},                                           // 300 bytes
                        {{5, 10}, 1, 1, 3}, {{5, 10}, 1, 2, 4}, {{5, 10}, 1, 9, 4},  // no more than the array has
                        {{3, 3}, 4, 1, 2}};  // 216 bytes; each batch wants all four chunks
  auto const array = four_chunks();
  for (auto const& one : cases) {
    CAPTURE(to_string(one.box));
    CAPTURE(one.batch);
    CAPTURE(one.ahead);
    LoaderOptions options{.batch = one.batch, .ahead = one.ahead, .horizon = 40};
    auto const found = loaded(array, one.box, options);
    CHECK(found.boxes == 40);
    CHECK(found.chunks == 40);
    CHECK(found.decoded == decoded_if_kept(one.kept));
    CHECK(found.hits == 40 - decoded_if_kept(one.kept));
    options.cache = one.kept * 100;
    CHECK(loaded(array, one.box, options).decoded == found.decoded);
    options.cache = 0;
    auto const none = loaded(array, one.box, options);
    CHECK(none.decoded == 40);
    CHECK(none.hits == 0);
  }
}

TEST_CASE("the usual horizon tells what to keep by default") {
  auto const array = four_chunks();
  CHECK(loaded(array, {5, 10}, {.ahead = 1}).decoded == decoded_if_kept(3));
  CHECK(loaded(array, {5, 10}, {.ahead = 1, .horizon = 1}).decoded == 40);  // the least recently used chunk goes
}

TEST_CASE("by default, chunks that are stored as they are in memory are kept only if a box is as large") {
  Shards const in_shards{{Extents{10, 10}, Raw{}}};
  for (auto const& [box, kept] : {std::pair{Extents{9, 10}, 0u}, std::pair{Extents{10, 10}, 4u}}) {
    CHECK(loaded(four_chunks(Raw{}), box, {}).decoded == decoded_if_kept(kept));
    CHECK(loaded(four_chunks(in_shards, {10, 20}), box, {}).decoded == decoded_if_kept(kept));
    CHECK(loaded(four_chunks(), box, {}).decoded == decoded_if_kept(4));
    CHECK(loaded(four_chunks(Raw{}), box, {.cache = 300}).decoded == decoded_if_kept(3));
  }
}

TEST_CASE("boxes without elements, and no boxes: nothing is kept") {
  auto const array = four_chunks();
  CHECK(loaded(array, {0, 5}, {.batch = 8}).boxes == 40);
  Loader none{array, [] { return std::optional<Box>{}; }};
  CHECK(!none.next());
}

TEST_CASE("too little memory for chunks: with the option the loader throws, by default its batches") {
  // 2^45 bytes: no chunk is stored.
  auto const array = create_array<std::uint8_t, 1>(
      Memory{}, "a", {.shape = {std::uint64_t{1} << 45}, .chunks = {1 << 20}}, Zstd{}, Queue<space::Host>{1});
  UniformBoxes const boxes{array.shape(), {1 << 26}, {}, 3};
  test::check_refused<HostOutOfMemory>([&] { Loader(array, boxes, {.cache = std::uint64_t{1} << 45}); }, {"cannot allocate"});
  Loader loader{array, boxes, {.ahead = 1 << 18, .on_error = OnError::go_on}};
  for (int i = 0; i < 3; ++i) test::check_refused<HostOutOfMemory>([&] { (void)loader.next(); }, {"cannot allocate"});
  CHECK(!loader.next());
  CHECK(loader.position() == 3);
}

}  // namespace usual_cache_tests
