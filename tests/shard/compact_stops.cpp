// Looking for the shards of a large array ends on request.
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <support/one_shard.hpp>
#include <support/remote_store.hpp>
#include <support/shard_bytes.hpp>
#include <support/store_conformance.hpp>
#include <tessera/transfer/detail/compact_shards.hpp>

using namespace tessera;

namespace {

/// Counts the listings, and the keys that they showed; the one that is `last` raises `stop`.
struct Listing : test::Remote {
  struct Shown {
    std::size_t listings = 0, keys = 0, last = 0;
    std::atomic<bool> stop{false};
  };
  std::shared_ptr<Shown> shown = std::make_shared<Shown>();
  void list(std::string_view prefix, Visitor visit) const {
    ++shown->listings;
    values.list(prefix, [&](Listed const& entry) {
      if (++shown->keys == shown->last) shown->stop = true;
      visit(entry);
    });
  }
  void list_directory(std::string_view prefix, Visitor visit) const { values.list_directory(prefix, visit); }
};

template <class S>
std::size_t shards_in(S const& store, std::atomic<bool> const* stop) {
  test::HostQueue on{2};
  return detail::shards_of(store, "a", {}, Extents{100'000}, Extents{1}, on, stop).size();
}

}  // namespace

TEST_CASE("a listing of shards ends with the next key when it is told to stop, and does not begin") {
  Listing const store;
  for (int i = 0; i < 50; ++i) test::put(store, "a/c/" + std::to_string(1000 + i), "x");
  auto& shown = *store.shown;
  CHECK(shards_in(store, &shown.stop) == 50);
  CHECK(shown.listings == 1);
  CHECK(shown.keys == 50);
  shown.keys = 0, shown.last = 7;
  CHECK_THROWS_AS(shards_in(store, &shown.stop), Cancelled);
  CHECK(shown.keys == 7);
  CHECK_THROWS_AS(shards_in(store, &shown.stop), Cancelled);
  CHECK(shown.listings == 2);
  CHECK(shards_in(store, nullptr) == 50);
}

TEST_CASE("a store that cannot list does not have all shards of an array looked for when it is told to stop") {
  std::atomic<bool> stop{false};
  CHECK(shards_in(test::Remote{}, &stop) == 100'000);
  stop = true;
  CHECK_THROWS_AS(shards_in(test::Remote{}, &stop), Cancelled);
}

TEST_CASE("compact looks for shards until it is told to stop") {
  Listing const store;
  auto const document = test::sharded_document("[4, 8000]", "[4, 4]", test::Sharding{"[2, 2]"}.list());
  auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
  for (int i = 0; i < 50; ++i) test::put(store, "c/0/" + std::to_string(1000 + i), "not asked for");
  auto& shown = *store.shown;
  shown.keys = 0, shown.last = 7;
  CHECK_THROWS_AS(array.compact({.stop = &shown.stop}), Cancelled);
  CHECK(shown.keys == 7);
}
