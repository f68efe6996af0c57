// Functions of the program that a cache calls: they may fail, and call the cache.
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>

#include <support/refused.hpp>

namespace cache_called_back_tests {

using namespace tessera;

namespace {

// Calls a function that is set later, so that it may refer to the cache.
struct Asking {
  std::shared_ptr<std::function<bool(Extents const&)>> answer =
      std::make_shared<std::function<bool(Extents const&)>>([](Extents const&) { return true; });
  template <MemorySpace S>
  bool keeps(Extents const& chunk) const {
    return (*answer)(chunk);
  }
};

constexpr std::uint64_t chunk_bytes = 8 * 8 * sizeof(std::int32_t);

auto counting_array(std::size_t threads = 1) {
  auto const array = create_array<std::int32_t, 2>(
      MemoryStore<HostBuffer>{}, "a", {.shape = {64, 8}, .chunks = {8, 8}}, {}, Queue<space::Host>{threads});
  std::vector<std::int32_t> numbers(array.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  array.write(all, numbers);
  return array;
}
Box row(std::uint64_t i) { return Box{{i * 8, i * 8 + 8}, all}; }

constexpr auto refusal = "a cache was called from a function that it called";

// Every call that might move chunks, from within such a function.
template <class Cache>
void check_refusals(Cache const& cache) {
  auto const refused = [](auto&& f) { test::check_refused<Error>(f, {"memory store: key \"a\": ", refusal}); };
  std::vector<std::int32_t> some(64);
  refused([&] { (void)cache.hold(row(7)); });
  refused([&] { (void)cache.hold_for_writing(row(0)); });
  refused([&] { cache.prefetch(row(7)); });
  refused([&] { cache.template place<space::Host>(row(7)); });
  refused([&] { cache.read(row(0), some); });
  refused([&] { cache.write(row(0), some); });
  refused([&] { (void)cache.write_back(); });
  refused([&] { cache.flush(); });
  refused([&] { cache.clear(); });
}

}  // namespace

TEST_CASE("a policy that throws ends the call, which holds nothing; another call goes on") {
  Asking const policy;
  ChunkCache const cache{counting_array(), {.host = 3 * chunk_bytes}, policy};
  (void)cache.hold(row(0));
  *policy.answer = [](Extents const& chunk) -> bool {
    if (chunk[0] == 2) throw std::runtime_error{"no idea"};
    return true;
  };
  std::vector<std::int32_t> some(3 * 64, 1);
  CHECK_THROWS_AS((void)cache.hold({{0, 24}, all}), std::runtime_error);
  CHECK_THROWS_AS(cache.prefetch({{0, 24}, all}), std::runtime_error);
  CHECK_THROWS_AS(cache.place<space::Host>({{0, 24}, all}), std::runtime_error);
  CHECK_THROWS_AS(cache.read({{0, 24}, all}, some), std::runtime_error);
  CHECK_THROWS_AS(cache.write({{0, 24}, all}, some), std::runtime_error);
  CHECK_THROWS_AS((void)cache.hold_for_writing({{0, 24}, all}), std::runtime_error);
  auto const found = cache.statistics();
  CHECK(found.held == 0);
  CHECK(found.dirty == 0);
  CHECK(found.on_host == 1);
  for (auto const i : std::initializer_list<std::uint64_t>{0, 1, 3, 4, 5})
    CHECK(cache.hold(row(i))[0].view(1, 0) == static_cast<int>(i * 64 + 8));
}

TEST_CASE("a policy asks the cache, and holds what it has; what would move chunks is an error") {
  Asking const policy;
  ChunkCache const cache{counting_array(), {.host = 3 * chunk_bytes}, policy};
  (void)cache.hold(row(0));
  int asked = 0;
  *policy.answer = [&](Extents const&) {
    ++asked;
    CHECK(cache.where({0, 0}).on_host);
    CHECK(cache.statistics().held == 0);
    CHECK(cache.hold(row(0))[0].view(0, 1) == 1);
    cache.unplace(row(0));
    check_refusals(cache);
    return true;
  };
  CHECK(cache.hold(row(1))[0].view(0, 0) == 64);
  CHECK(asked == 2);  // of both memories, which are one
  *policy.answer = [&](Extents const&) { return cache.hold(row(5))[0].view(0, 0) == 0; };
  test::check_refused<Error>([&] { (void)cache.hold(row(5)); }, {refusal});
  CHECK_FALSE(cache.where({5, 0}).on_host);
  CHECK(cache.statistics().held == 0);
}

TEST_CASE("a function for the progress of reads and writes asks the cache, in every thread; no more") {
  for (auto const threads : std::initializer_list<std::size_t>{1, 3}) {
    CAPTURE(threads);
    ChunkCache<decltype(counting_array())> const* here = nullptr;
    int told = 0;
    auto const progress = [&](std::uint64_t, std::uint64_t) {
      ++told;
      auto const& cache = *here;
      CHECK(cache.hold(row(0))[0].view(0, 1) == 1);
      CHECK(cache.statistics().host_bytes <= 4 * chunk_bytes);
      check_refusals(cache);
    };
    CacheOptions options{.read = {.mini_batch = 1}, .write = {.mini_batch = 1}};
    options.read.progress = options.write.progress = [&](std::uint64_t done, std::uint64_t chunks) {
      if (here) progress(done, chunks);
    };
    ChunkCache const cache{counting_array(threads), {.host = 4 * chunk_bytes}, KeepEverywhere{}, options};
    (void)cache.hold(row(0));
    here = &cache;
    CHECK(cache.hold({{0, 32}, all})[3].view(0, 0) == 3 * 64);
    CHECK(told == 3);
    std::vector<std::int32_t> some(2 * 64, 5);
    cache.write({{8, 24}, all}, some);
    cache.flush();
    CHECK(told == 5);
    CHECK(cache.statistics().held == 0);
    here = nullptr;
  }
}

TEST_CASE("a function for the progress that throws ends the read; nothing is held, and nothing lost") {
  bool fails = false;
  CacheOptions options;
  options.read.progress = options.write.progress = [&](std::uint64_t, std::uint64_t) {
    if (fails) throw std::runtime_error{"enough"};
  };
  ChunkCache const cache{counting_array(), {.host = 4 * chunk_bytes}, KeepEverywhere{}, options};
  cache.hold_for_writing(row(0))[0].view(0, 0) = -1;
  fails = true;
  CHECK_THROWS_AS((void)cache.hold({{8, 24}, all}), std::runtime_error);
  CHECK_THROWS_AS(cache.flush(), std::runtime_error);
  CHECK(cache.statistics().held == 0);
  CHECK(cache.statistics().dirty == 1);
  CHECK(cache.statistics().on_host == 1);
  fails = false;
  cache.flush();
  CHECK(cache.array().read(row(0))(0, 0) == -1);
}

TEST_CASE("a chunk that somebody takes to write to it is nobody else's while others beside it are read") {
  std::function<void()> told;
  CacheOptions options;
  options.read.progress = [&](std::uint64_t, std::uint64_t) { told ? told() : void(); };
  ChunkCache const cache{counting_array(), {.host = 4 * chunk_bytes}, KeepEverywhere{}, options};
  (void)cache.hold(row(0));
  int asked = 0;
  told = [&] {
    ++asked;
    test::check_refused<Error>([&] { (void)cache.hold(row(0)); }, {refusal});
  };
  auto const held = cache.hold_for_writing({{0, 16}, all});
  CHECK(asked == 1);
  CHECK(cache.statistics().held == 2);
}

TEST_CASE("what somebody lets go of while the cache is cleared is written before it goes") {
  std::function<void()> told;
  CacheOptions options;
  options.write.progress = [&](std::uint64_t, std::uint64_t) { told ? told() : void(); };
  ChunkCache const cache{counting_array(), {.host = 4 * chunk_bytes}, KeepEverywhere{}, options};
  cache.hold_for_writing(row(0))[0].view(0, 0) = -1;
  auto held = cache.hold_for_writing(row(1));
  held[0].view(0, 0) = -2;
  told = [&] { held.release(); };
  cache.clear();
  told = {};
  CHECK(cache.statistics().dirty == 1);
  cache.flush();
  CHECK(cache.array().read({{0, 16}, all})(0, 0) == -1);
  CHECK(cache.array().read({{0, 16}, all})(8, 0) == -2);
}

TEST_CASE("a chunk that was read while its array was small is read again when the array has grown") {
  auto const array = counting_array();
  Asking const policy;
  ChunkCache const cache{array, {.host = chunk_bytes}, policy};
  (void)cache.hold(row(7));  // leaves its elements in memory
  bool is_seen = false;
  SUBCASE("that the cache has not seen") {}
  SUBCASE("that the cache has seen") { is_seen = true; }
  *policy.answer = [&](Extents const&) {
    if (array.shape()[0] == 10) return true;
    array.resize({10, 8});
    if (is_seen) test::check_refused<Error>([&] { (void)cache.hold(row(0)); }, {refusal});
    return true;
  };
  (void)cache.hold(row(1));
  *policy.answer = [](Extents const&) { return true; };
  array.resize({64, 8});
  auto const held = cache.hold(row(1));
  CHECK(held[0].view(1, 0) == 9 * 8);
  CHECK(held[0].view(2, 0) == 0);
}

TEST_CASE("a call that began before a resize takes nothing away from those after it") {
  auto const array = counting_array();
  array.resize({10, 8});
  Asking const policy;
  ChunkCache const cache{array, {.host = 3 * chunk_bytes}, policy};
  SUBCASE("that write") {
    bool is_resized = false;
    *policy.answer = [&](Extents const&) {
      if (!std::exchange(is_resized, true))
        std::thread{[&] {
          array.resize({16, 8});
          for (auto& number : cache.hold_for_writing(row(1))[0].view) number = 5;
        }}.join();
      return true;
    };
    (void)cache.hold(row(0));
    CHECK(cache.hold(row(1))[0].view(7, 7) == 5);
    cache.flush();
    CHECK(array.read(row(1))(7, 7) == 5);
  }
  SUBCASE("that read") {
    (void)cache.hold(row(0));
    *policy.answer = [&](Extents const&) {
      if (array.shape()[0] == 10) {
        array.resize({16, 8});
        test::check_refused<Error>([&] { (void)cache.hold(row(0)); }, {refusal});  // sees the shape
      }
      return true;
    };
    CHECK(cache.hold({{8, 10}, all})[0].view.shape[0] == 2);
    auto const held = cache.hold(row(1));
    REQUIRE(held[0].view.shape[0] == 8);
    CHECK(held[0].view(1, 0) == 9 * 8);
    CHECK(held[0].view(2, 0) == 0);
  }
}

TEST_CASE("a chunk's place of another number of dimensions is refused") {
  ChunkCache const cache{counting_array(), {.host = 4 * chunk_bytes}};
  for (auto const& place : {Extents{}, Extents{1}, Extents{1, 0, 0}})
    test::check_refused<SelectionError>(
        [&] { (void)cache.where(place); },
        {"memory store: key \"a\": the index of a chunk: found ", "expected 2 numbers"});
}

}  // namespace cache_called_back_tests
