// Each allocation of a call fails in turn: nothing is lost, nothing stays locked, and the next call works.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/shard/detail/index_cache.hpp>
#include <tessera/tessera.hpp>

#include <support/allocations.hpp>
#include <support/temporary_folder.hpp>

using namespace tessera;

namespace {

using Ints = std::vector<std::int32_t>;
Extents const shape{16, 4};  // four chunks
Box const part{{2, 14}, {1, 3}};

template <class S>
auto made_in(S const& store) {
  auto const array =
      create_array<std::int32_t, 2>(store, "a name that no short string has", {.shape = shape, .chunks = {4, 4}});
  Ints elements(64);
  std::iota(elements.begin(), elements.end(), 1);
  array.write(all, elements);
  return array;
}

// Each element is unchanged or, within `part`, -1; all of these are -1, if nothing failed.
bool is_old_or_new(Ints const& found, bool must_be_new) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    bool const is_inside = i / 4 >= 2 && i / 4 < 14 && i % 4 >= 1 && i % 4 < 3;
    bool const is_old = found[i] == static_cast<std::int32_t>(i + 1);
    if (is_inside ? found[i] != -1 && (must_be_new || !is_old) : !is_old) return false;
  }
  return true;
}

// Repeats f(make()) until none of its allocations fails; check(result of make, whether one failed).
template <class Make, class F, class Check>
void fail_each(Make&& make, F&& f, Check&& check) {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    auto object = make();
    bool has_failed = false;
    {
      test::FailingAllocation const failing{k};
      try {
        f(object);
      } catch (std::bad_alloc const&) {
      } catch (Error const&) {
      }
      has_failed = failing.has_failed();
    }
    check(object, has_failed);
    if (!has_failed) {
      CHECK(k > 5);
      break;
    }
  }
}

}  // namespace

TEST_CASE("each allocation of a cache's calls fails in turn: no chunk and no room is lost") {
  auto const array_and_cache = [] {
    auto const array = made_in(MemoryStore<HostBuffer>{});
    return std::pair{array, ChunkCache{array, {.host = 2 * 64}}};  // two chunks: others are evicted
  };
  Ints const fresh(24, -1);
  fail_each(
      array_and_cache,
      [&](auto const& both) {
        both.second.write(part, fresh);
        Ints found(64);
        both.second.read(all, found);
        (void)both.second.hold({{0, 8}, all});
      },
      [&](auto const& both, bool has_failed) {
        auto const& [array, cache] = both;
        CHECK(cache.statistics().held == 0);
        cache.flush();
        CHECK(cache.statistics().dirty == 0);
        Ints seen(64), stored(64);
        cache.read(all, seen);
        array.read(all, stored);
        CHECK(seen == stored);
        CHECK(is_old_or_new(stored, !has_failed));
        (void)cache.hold({{0, 8}, all});  // the room is unchanged
        cache.clear();
        CHECK(cache.statistics().host_bytes == 0);
      });
}

TEST_CASE("each allocation fails where an index is to be kept: what is kept is counted as before") {
  using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
  auto const form = Pipeline<space::Host, Shards>{Shards{{4}}}.resolve({{16}, data_type_of<std::uint8_t>()});
  SequenceCounter const changes;
  Key const key{"a name that no short string has/c/0"};
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    ShardIndexCache cache{form.shards, 1};  // of a single shard
    bool has_failed = false;
    {
      test::FailingAllocation const failing{k};
      try {
        (void)cache.open(key, changes);
      } catch (std::bad_alloc const&) {
      }
      has_failed = failing.has_failed();
    }
    (void)cache.open(key, changes);
    (void)cache.open({"b/c/0"}, changes);  // which evicts the previous ones
    CHECK(cache.size() < 1000);
    cache.forget({"b/c/0"});
    CHECK(cache.size() == 0);
    if (!has_failed) {
      CHECK(k > 3);
      break;
    }
  }
}

TEST_CASE("each allocation of a write to files fails in turn: chunks are old or new, and none stays locked") {
  test::TemporaryFolder const folder;
  int made = 0;
  Ints const fresh(24, -1);
  fail_each([&] { return made_in(LocalStore<HostBuffer>{folder / std::to_string(made++)}); },
            [&](auto const& array) { array.write(part, fresh); },
            [&](auto const& array, bool has_failed) {
              Ints found(64);
              array.read(all, found);
              CHECK(is_old_or_new(found, !has_failed));
              array.write(part, fresh);
              array.read(all, found);
              CHECK(is_old_or_new(found, true));
            });
}
