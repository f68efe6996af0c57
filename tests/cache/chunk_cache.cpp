// A cache of an array in host memory: one level, without CUDA.
#include <atomic>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <sys/wait.h>

#include <doctest/doctest.h>

#include <tessera/array/strings.hpp>
#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

#include <support/refused.hpp>
#include <support/temporary_folder.hpp>

namespace chunk_cache_tests {

using namespace tessera;

namespace {

using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

template <class S = MemoryStore<HostBuffer>>
auto counting_array(Extents const& shape, S const& store = {}, Extents const& chunk = {8, 8}) {
  auto const array = create_array<std::int32_t, 2>(store, "a", {.shape = shape, .chunks = chunk}, Zstd{});
  std::vector<std::int32_t> numbers(array.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  array.write(all, numbers);
  return array;
}
constexpr std::uint64_t chunk_bytes = 8 * 8 * sizeof(std::int32_t);

struct FirstRowsOnly {
  template <MemorySpace S>
  static bool keeps(Extents const& chunk) {
    return chunk[0] < 2;
  }
};

using test::error_of;

// Counts its writes, which may fail.
struct Counted : WrapperStore<MemoryStore<HostBuffer>> {
  struct Calls {
    std::atomic<std::size_t> writes{0};
    std::atomic<bool> fails{false};
  };
  std::shared_ptr<Calls> calls = std::make_shared<Calls>();
  Counted() : WrapperStore{MemoryStore<HostBuffer>{}} {}
  void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const {
    ++calls->writes;
    if (calls->fails) throw StoreError{"the disk is full"};
    source().write(key, value, on);
  }
};

}  // namespace

TEST_CASE("chunks are where they are wanted, read once, and the view ends where the array ends") {
  ChunkCache const cache{counting_array({20, 30}), {.host = 12 * chunk_bytes}};
  std::size_t count = 0;
  for (auto const chunk : cache.hold({{7, 20}, {15, 30}})) {
    ++count;
    for (std::uint64_t i = 0; i < chunk.view.shape[0]; ++i)
      for (std::uint64_t j = 0; j < chunk.view.shape[1]; ++j)
        CHECK(chunk.view(i, j) == static_cast<int>((chunk.first[0] + i) * 30 + chunk.first[1] + j));
    CHECK(chunk.view.shape[0] == (chunk.first[0] == 16 ? 4 : 8));
    CHECK(chunk.view.shape[1] == (chunk.first[1] == 24 ? 6 : 8));
  }
  CHECK(count == 9);
  (void)cache.hold({{8, 16}, {8, 17}});
  auto const found = cache.statistics();
  CHECK(found.misses == 9);
  CHECK(found.hits == 2);
  CHECK(found.held == 0);
  CHECK(found.on_host == 9);
  CHECK(cache.where({2, 3}).on_host);
  CHECK_FALSE(cache.where({0, 0}).on_host);
}

TEST_CASE("the least recently used chunks go, never those that are held; too small a budget says what holds it") {
  ChunkCache const cache{counting_array({64, 8}), {.host = 3 * chunk_bytes}};
  auto const chunk = [](std::uint64_t i) { return Box{{i * 8, i * 8 + 8}, all}; };
  auto const first = cache.hold(chunk(0));
  auto const* const where = first[0].view.data;
  (void)cache.hold(chunk(1));
  (void)cache.hold(chunk(2));
  (void)cache.hold(chunk(1));
  (void)cache.hold(chunk(3));  // in place of 2
  CHECK(cache.where({1, 0}).on_host);
  CHECK_FALSE(cache.where({2, 0}).on_host);
  CHECK(first[0].view.data == where);
  CHECK(first[0].view(1, 1) == 9);
  CHECK(error_of([&] {
          (void)cache.hold({{8, 32}, all});
        }) ==
        "memory store: key \"a\": a cache has no room in host memory for 3 chunks of 256 bytes each: its budget of 768 "
        "bytes has room for 3, of which 1 are held: chunks [0, 0]");
  CHECK(cache.where({1, 0}).on_host);  // nothing was evicted for it
  cache.place<space::Host>(chunk(1));
  CHECK(error_of([&] {
          (void)cache.hold({{32, 48}, all});
        }).ends_with("2 are held: chunks [0, 0], [1, 0] (placed)") !=
        error_of([&] {
          (void)cache.hold({{32, 48}, all});
        }).ends_with("2 are held: chunks [1, 0] (placed), [0, 0]"));
  cache.unplace(chunk(1));
  (void)cache.hold({{32, 48}, all});
  CHECK_FALSE(cache.where({1, 0}).on_host);
}

TEST_CASE("chunks of several sizes are refused") {
  MemoryStore<HostBuffer> const store;
  ArrayMetadata metadata{};
  metadata.shape = {4};
  metadata.type = {DataKind::signed_integer, 4};
  metadata.chunk_shape = {3};
  metadata.fill.resize(4);
  metadata.codecs = Pipeline<space::Host, codec::Bytes>{}.specifications(chunk_of(metadata));
  metadata.edges = {ChunkEdges{{{1, 1}, {3, 1}}}};
  auto const rectilinear = create_any(store, "r", metadata).as<std::int32_t, 1>();
  CHECK(error_of([&] {
          ChunkCache{rectilinear, {.host = chunk_bytes}};
        }) ==
        "memory store: key \"r/zarr.json\": member chunk_grid: found \"rectilinear\", expected chunks of one shape "
        "in a cache");
  auto const strings = create_array<std::string, 1>(store, "s", {.shape = {4}, .chunks = {2}});
  CHECK(error_of([&] {
          ChunkCache{strings, {.host = chunk_bytes}};
        }) ==
        "memory store: key \"s/zarr.json\": member data_type: elements of string vary in size, expected one size in a "
        "cache");
}

TEST_CASE("who writes to a chunk holds it alone") {
  ChunkCache const cache{counting_array({16, 16}), {.host = 4 * chunk_bytes}};
  {
    auto const writing = cache.hold_for_writing({0, 0});
    writing[0].view(0, 1) = -1;
    CHECK(error_of([&] {
            (void)cache.hold({0, 0});
          }) == "memory store: key \"a\": chunk [0, 0] of a cache is held for writing");
    CHECK(error_of([&] { cache.flush(); }) ==
          "memory store: key \"a\": 1 chunks of a cache are held for writing: they are not flushed");
  }
  {
    auto const changing = cache.hold_for_writing({0, 0});
    CHECK(cache.write_back() == 1);
    CHECK(cache.statistics().written == 0);  // it is half done
  }
  auto const reading = cache.hold(all), again = cache.hold({0, 0});
  CHECK(reading[0].view(0, 1) == -1);
  CHECK(error_of([&] { (void)cache.hold_for_writing(all); }) ==
        "memory store: key \"a\": chunk [0, 0] of a cache is held by 2 readers, so it cannot be written");
  CHECK(cache.statistics().held == 5);
  CHECK(cache.statistics().dirty == 1);
}

TEST_CASE("chunks of a shard are written back together, and read one by one") {
  Counted const store;
  using Sharded = Pipeline<space::Host, codec::Sharding<Zstd>>;
  auto const array = create_array<std::int32_t, 2>(store, "a", {.shape = {32, 32}, .chunks = {16, 16}},
                                                   Sharded{codec::Sharding<Zstd>{{8, 8}}});
  ChunkCache const cache{array, {.host = 16 * chunk_bytes}};
  std::vector<std::int32_t> numbers(32 * 32);
  std::iota(numbers.begin(), numbers.end(), 5);
  cache.write(all, numbers);
  CHECK(cache.statistics().misses == 0);
  CHECK(cache.statistics().dirty == 16);
  auto const before = store.calls->writes.load();
  CHECK(cache.write_back() == 0);
  CHECK(store.calls->writes == before + 4);  // of four shards
  std::vector<std::int32_t> stored(32 * 32);
  array.read(all, stored);
  CHECK(stored == numbers);
  cache.clear();
  CHECK(cache.statistics().host_bytes == 0);
  CHECK(cache.hold({{17, 18}, 3})[0].view(1, 3) == 17 * 32 + 3 + 5);
  CHECK(cache.statistics().misses == 1);
}

TEST_CASE("chunks are written back under the locks of the array, whose shards others write to as well") {
  using Sharded = Pipeline<space::Host, codec::Sharding<Zstd>>;
  auto const array =
      create_array<std::int32_t, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {32, 16}, .chunks = {32, 16}},
                                    Sharded{codec::Sharding<Zstd>{{8, 8}}});
  ChunkCache const cache{array, {.host = 8 * chunk_bytes}};
  Box const left{all, {0, 8}}, right{all, {8, 16}};
  std::atomic<int> wrong{0};
  auto const check = [&](Box const& own, auto&& write) {
    for (int round = 0; round < 50; ++round) {
      std::vector<std::int32_t> const some(32 * 8, round + 1);
      std::vector<std::int32_t> stored(some.size());
      write(some);
      array.read(own, stored);
      wrong += stored != some;
    }
  };
  std::thread other{[&] { check(left, [&](auto const& some) { array.write(left, some); }); }};
  check(right, [&](auto const& some) { cache.write(right, some), cache.flush(); });
  other.join();
  CHECK(wrong == 0);
}

TEST_CASE("chunks that could not leave stay in the order in which they were used") {
  Counted const store;
  auto const array = counting_array({40, 8}, store);
  ChunkCache const cache{array, {.host = 3 * chunk_bytes}};
  for (std::uint64_t row = 0; row < 24; row += 8) (void)cache.hold_for_writing({row, 0});
  store.calls->fails = true;
  CHECK_THROWS_AS((void)cache.hold({24, 0}), StoreError);
  CHECK(cache.statistics().dirty == 3);
  store.calls->fails = false;
  (void)cache.hold({24, 0});
  CHECK_FALSE(cache.where({0, 0}).on_host);
  CHECK(cache.where({1, 0}).on_host);
  CHECK(cache.where({2, 0}).on_host);
}

TEST_CASE("a chunk that is dirty when the array is resized is written back before it is read anew") {
  auto const array = counting_array({12, 8});
  ChunkCache const cache{array, {.host = 4 * chunk_bytes}};
  cache.hold_for_writing({8, 0})[0].view(0, 0) = -1;
  array.resize({16, 8});
  CHECK(error_of([&] { (void)cache.hold({8, 0}); }).find("which was resized: flush and clear") != std::string::npos);
  cache.flush();
  cache.clear();
  CHECK(cache.hold({8, 0})[0].view(0, 0) == -1);
}

TEST_CASE("an array that was resized shows its new shape, once the cache has let go of the old one") {
  auto const array = counting_array({12, 8});
  ChunkCache const cache{array, {.host = 4 * chunk_bytes}};
  {
    auto const held = cache.hold(all);
    array.resize({16, 8});
    CHECK(error_of([&] { (void)cache.hold(all); }) ==
          "memory store: key \"a\": chunk [1, 0] of a cache has the shape [4, 8] in the cache and [8, 8] in the array, "
          "which was resized: flush and clear the cache first");
  }
  auto const held = cache.hold(all);
  CHECK(held[1].view.shape[0] == 8);
  CHECK(held[1].view(7, 0) == 0);
  CHECK(held[1].view(3, 0) == 11 * 8);
}

TEST_CASE("what a resize cut off is not written back, and what is left of the array is") {
  auto const array = counting_array({24, 8});
  {
    ChunkCache const cache{array, {.host = 3 * chunk_bytes}};
    for (auto const chunk : cache.hold_for_writing(all)) chunk.view(0, 0) = -1;
    array.resize({10, 8});
    cache.flush();
    CHECK(cache.statistics().written == 2);
    CHECK(cache.statistics().dirty == 0);
    CHECK(array.read(all)(8, 0) == -1);
    cache.clear();
    array.resize({24, 8});
    CHECK(cache.hold({{16, 24}, all})[0].view(0, 0) == 0);
  }
  ChunkCache const small{array, {.host = chunk_bytes}};
  small.hold_for_writing({{16, 24}, all})[0].view(0, 0) = -2;
  array.resize({10, 8});
  CHECK(small.hold({{0, 8}, all})[0].view(0, 0) == -1);  // the chunk outside is evicted
}

TEST_CASE("what a resize cut off is the fill value when the array has grown again, and nothing is placed there") {
  auto const array = counting_array({24, 8});
  ChunkCache const cache{array, {.host = 3 * chunk_bytes}};
  cache.place<space::Host>(all);
  array.resize({10, 8});
  CHECK(cache.hold({{0, 8}, all})[0].view(1, 0) == 8);
  CHECK(cache.statistics().held == 2);  // both remaining ones
  cache.unplace(all);
  CHECK(cache.statistics().held == 0);
  array.resize({24, 8});
  auto const held = cache.hold({{8, 24}, all});
  CHECK(held[0].view(0, 0) == 64);
  CHECK(held[0].view(7, 0) == 0);
  CHECK(held[1].view(0, 0) == 0);
}

TEST_CASE("what a resize cut off is the fill value also where only writers came while the array was small") {
  auto const array = counting_array({24, 8});
  ChunkCache const cache{array, {.host = 3 * chunk_bytes}};
  (void)cache.hold(all);
  array.resize({10, 8});
  cache.hold_for_writing({{0, 8}, all})[0].view(0, 0) = -1;
  array.resize({24, 8});
  CHECK(cache.hold({{16, 24}, all})[0].view(0, 0) == 0);
  CHECK(cache.hold({{8, 16}, all})[0].view(1, 0) == 9 * 8);
  CHECK(cache.hold({{8, 16}, all})[0].view(2, 0) == 0);
}

TEST_CASE("elements that an array got after a dirty chunk was loaded keep the fill value when it is written back") {
  auto const array = create_array<std::int32_t, 2>(MemoryStore<HostBuffer>{}, "a",
                                                   {.shape = {10, 6}, .chunks = {8, 8}, .fill = -1}, Zstd{});
  ChunkCache const cache{array, {.host = 4 * chunk_bytes}};
  for (auto const chunk : cache.hold_for_writing(all))
    for (auto& number : chunk.view) number = 5;
  array.resize({16, 8});
  cache.flush();
  auto const found = array.read(all);
  for (std::uint64_t y = 0; y < 16; ++y)
    for (std::uint64_t x = 0; x < 8; ++x) CHECK(found(y, x) == (y < 10 && x < 6 ? 5 : -1));
}

TEST_CASE("what a resize cut off a dirty chunk is not written back when the array has grown again") {
  auto const array = counting_array({16, 8});
  ChunkCache const cache{array, {.host = 4 * chunk_bytes}};
  for (auto& number : cache.hold_for_writing({{8, 16}, all})[0].view) number = 5;
  array.resize({10, 8});
  (void)cache.hold({{0, 8}, all});  // sees the shape
  array.resize({16, 8});
  SUBCASE("by flush") { cache.flush(); }
  SUBCASE("when it is evicted") {
    auto const other = counting_array({64, 8});
    ChunkCache const small{other, {.host = chunk_bytes}};
    for (auto& number : small.hold_for_writing({{8, 16}, all})[0].view) number = 5;
    other.resize({10, 8});
    CHECK(error_of([&] { (void)small.hold({{8, 10}, all}); }).find("which was resized") != std::string::npos);
    other.resize({16, 8});
    (void)small.hold({{0, 8}, all});
    CHECK(other.read(all)(9, 7) == 5);
    CHECK(other.read(all)(10, 0) == 0);
    cache.flush();
  }
  CHECK(array.read(all)(9, 7) == 5);
  CHECK(array.read(all)(10, 0) == 0);
  CHECK(array.read(all)(15, 7) == 0);
}

TEST_CASE("what a flush left out is the fill value when the array has grown again") {
  auto const array = counting_array({16, 8});
  ChunkCache const cache{array, {.host = 4 * chunk_bytes}};
  for (auto& number : cache.hold_for_writing({{8, 16}, all})[0].view) number = 5;
  array.resize({10, 8});
  cache.flush();
  array.resize({16, 8});
  auto const held = cache.hold({{8, 16}, all});
  CHECK(held[0].view(1, 7) == 5);
  CHECK(held[0].view(2, 0) == 0);
}

TEST_CASE("a chunk that is placed is written when it is not any more") {
  ChunkCache const cache{counting_array({8, 8}), {.host = chunk_bytes}};
  cache.place<space::Host>(all);
  test::check_refused<Error>([&] { (void)cache.hold_for_writing(all); }, {"is placed", "unplace it first"});
  cache.unplace(all);
  cache.hold_for_writing(all)[0].view(0, 0) = -1;
}

TEST_CASE("prefetch brings what is missing beside chunks that are held") {
  ChunkCache const cache{counting_array({32, 8}), {.host = 4 * chunk_bytes}};
  auto const held = cache.hold({{0, 24}, all});
  cache.prefetch(all);
  CHECK(cache.statistics().on_host == 4);
}

TEST_CASE("a policy keeps some chunks, and not others") {
  ChunkCache const cache{counting_array({64, 8}), {.host = 3 * chunk_bytes}, FirstRowsOnly{}};
  for (std::uint64_t i = 0; i < 8; ++i) (void)cache.hold({{i * 8, i * 8 + 8}, all});
  CHECK(cache.where({0, 0}).on_host);
  CHECK(cache.where({1, 0}).on_host);
  CHECK(cache.where({7, 0}).on_host);
}

TEST_CASE("an array without dimensions, and one without elements") {
  MemoryStore<HostBuffer> const store;
  auto const one = create_array<double, 0>(store, "one", {.shape = {}, .chunks = {}});
  ChunkCache const cache{one, {.host = 64}};
  cache.hold_for_writing(all)[0].view() = 2.5;
  cache.flush();
  CHECK(one.read(all)() == 2.5);
  ChunkCache const none{create_array<double, 1>(store, "none", {.shape = {0}, .chunks = {4}}), {.host = 64}};
  CHECK(none.hold(all).size() == 0);
}

TEST_CASE("selections of every kind are read and written through the cache") {
  auto const array = counting_array({40, 40});
  ChunkCache const cache{array, {.host = 3 * chunk_bytes}};
  auto const check = [&](auto const& selection) {
    auto const expected = array.read(selection);
    std::vector<std::int32_t> found(expected.size());
    cache.read(selection, found);
    CHECK(std::equal(expected.begin(), expected.end(), found.begin(), found.end()));
    for (auto& element : found) element = -element - 1;
    cache.write(selection, found);
    std::vector<std::int32_t> again(expected.size());
    cache.read(selection, again);
    CHECK(again == found);
    cache.flush();
    auto const stored = array.read(selection);
    CHECK(std::equal(stored.begin(), stored.end(), found.begin(), found.end()));
  };
  check(Box{{3, 30, 4}, {1, 40, 13}});
  check(Points{{{1, 1}, {39, 39}, {20, 3}, {2, 1}}});
  check(Orthogonal{std::vector{7, 1, 39, 12}, Slice{4, 30}});
  check(Blocks{{1, 3}, 2});
  check(all);
}

TEST_CASE("random programs on a cache in host memory: every element is right, and the budget is kept") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    Extents const shape{1 + random() % 40, 1 + random() % 40};
    auto const array = counting_array(shape);
    auto const most = 1 + random() % 9;
    ChunkCache const cache{array, {.host = most * chunk_bytes}};
    std::vector<std::int32_t> expected(array.size());
    std::iota(expected.begin(), expected.end(), 0);
    for (int step = 0; step < 60; ++step) {
      std::uint64_t first[2], count[2];
      for (std::size_t d = 0; d < 2; ++d)
        first[d] = random() % shape[d], count[d] = 1 + random() % (shape[d] - first[d]);
      Box const box{{first[0], first[0] + count[0]}, {first[1], first[1] + count[1]}};
      std::vector<std::int32_t> part(count[0] * count[1]);
      auto const in_box = [&](std::size_t i) -> std::int32_t& {
        return expected[(first[0] + i / count[1]) * shape[1] + first[1] + i % count[1]];
      };
      switch (random() % 6) {
        case 0:
        case 1:
          for (std::size_t i = 0; i < part.size(); ++i) in_box(i) = part[i] = static_cast<std::int32_t>(random());
          cache.write(box, part);
          break;
        case 2: {
          cache.prefetch(box);
          auto const held = cache.hold({first[0], first[1]});
          CHECK(held[0].view(first[0] % 8, first[1] % 8) == in_box(0));
          break;
        }
        case 3:
          random() % 4 == 0 ? cache.clear() : void(cache.write_back());
          break;
        default: {
          cache.read(box, part);
          bool same = true;
          for (std::size_t i = 0; i < part.size(); ++i) same = same && part[i] == in_box(i);
          CHECK(same);
        }
      }
      CHECK(cache.statistics().host_bytes <= most * chunk_bytes);
    }
    cache.flush();
    std::vector<std::int32_t> stored(array.size());
    array.read(all, stored);
    CHECK(stored == expected);
  }
}

TEST_CASE("after a flush a process that is killed has lost nothing; with its last handle a cache writes what is left") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "s"};
  auto const array = counting_array({32, 32}, store);
  std::vector<std::int32_t> numbers(32 * 32);
  std::iota(numbers.begin(), numbers.end(), 100);
  auto const child = ::fork();
  if (child == 0) {
    auto const here = open_array<std::int32_t, 2, Zstd>(store, "a", Queue<space::Host>{});
    ChunkCache const cache{here, {.host = 5 * chunk_bytes}};
    cache.write(all, numbers);
    cache.flush();
    cache.hold_for_writing({0, 0})[0].view(0, 0) = -7;  // which is lost
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  std::vector<std::int32_t> stored(32 * 32);
  array.read(all, stored);
  CHECK(stored == numbers);
  {
    ChunkCache const cache{array, {.host = 5 * chunk_bytes}};
    cache.hold_for_writing({0, 0})[0].view(0, 0) = -7;
  }
  CHECK(array.read({0, 0})(0, 0) == -7);
}

TEST_CASE("threads hold, read and write at once") {
  auto const array = counting_array({64, 64});
  ChunkCache const cache{array, {.host = 24 * chunk_bytes}};
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        auto const row = t * 16 + static_cast<std::uint64_t>(round % 2) * 8;
        std::vector<std::int32_t> some(8 * 32, static_cast<std::int32_t>(t) * 1000 + round), back(8 * 32);
        Box const box{{row, row + 8}, {4, 36}};
        cache.write(box, some);
        cache.read(box, back);
        wrong += back != some;
        wrong += cache.hold({row, 5})[0].view(0, 5) != some[0];
        wrong += cache.hold({row, 60})[0].view(0, 4) != static_cast<int>(row * 64 + 60);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace chunk_cache_tests
