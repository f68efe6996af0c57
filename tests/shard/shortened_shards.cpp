// Shards that another program shortens or erases while they are appended to or compacted.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include <support/one_shard.hpp>
#include <support/refused.hpp>

namespace shortened_shards_tests {

using namespace tessera;

/// Cuts a shard to its first `left` bytes before one of the reads that follow, or erases it.
struct Shortening : test::NotingAppends {
  struct Cut {
    int reads = -1;  // until the one that finds the shard cut; below 0: none does
    std::optional<std::size_t> left{};
  };
  std::shared_ptr<Cut> cut = std::make_shared<Cut>();

  std::string name() const { return "remote"; }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination, On& on) const {
    if (!test::is_document(key) && cut->reads-- == 0) {
      if (cut->left)
        test::put(inner, key.path, test::value(inner, key.path).substr(0, *cut->left));
      else
        inner.erase(key, on);
    }
    return NotingAppends::read(key, range, destination, on);
  }
};

/// The error of a call that finds the shard cut at its read of that number, from 0 on. The call has written nothing.
template <class F>
std::string error_of_cut(int read, std::optional<std::size_t> left, F&& call) {
  Shortening const store;
  auto const array = test::one_shard(store);
  test::put_text(array, all, test::numbers());
  store.asked->clear();
  store.cut->reads = read, store.cut->left = left;
  auto error = test::error_of([&] { call(array); });
  CHECK(store.asked->size() == static_cast<std::size_t>(read) + 1);
  CHECK(store.asked->back().starts_with("read "));
  return error;
}

TEST_CASE("a shard that is cut after its size was asked for has no whole index: nothing is appended or compacted") {
  auto const appends = [](auto const& array) { test::put_text(array, Box{{3, 5}, {5, 6}}, "01"); };
  auto const compacts = [](auto const& array) { array.compact(); };
  auto const check = [](auto const& call) {
    CHECK(error_of_cut(0, 1000, call) == "remote: key \"c/0/0\": the shard's index: found 744 bytes, expected 1028");
    CHECK(error_of_cut(0, {}, call) == "remote: key \"c/0/0\": the shard's index: found 0 bytes, expected 1028");
  };
  check(appends);
  check(compacts);
}

TEST_CASE("a shard that is cut after its index was read lacks bytes of the chunk that a write keeps in part") {
  auto const appends = [](auto const& array) { test::put_text(array, Box{{3, 4}, {5, 6}}, "0"); };
  std::string const start = "remote: key \"c/0/0\": the shard became shorter while it was read: found ";
  CHECK(error_of_cut(1, 42, appends) == start + "2 bytes from byte 40 on, expected 4");
  CHECK(error_of_cut(1, {}, appends) == start + "0 bytes from byte 40 on, expected 4");
}

}  // namespace shortened_shards_tests
