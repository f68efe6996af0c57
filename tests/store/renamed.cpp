// Folders of keys that are renamed.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

using Keys = std::map<std::string, std::string>;

template <class S>
Keys all_of(S const& store) {
  Keys keys;
  store.list("",
             [&](Listed const& entry) { keys[std::string{entry.path}] = test::value(store, std::string{entry.path}); });
  return keys;
}

bool is_below(std::string const& key, std::string const& folder) { return key.starts_with(folder + '/'); }
bool has_any(Keys const& keys, std::string const& folder) {
  return std::ranges::any_of(keys, [&](auto const& entry) { return is_below(entry.first, folder); });
}

// No key is a folder of others: a folder on disk has none such.
template <class S>
void check_renames(S const& store, std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  std::string const names[] = {"a", "ab", "a0", "a-", "b", "bb", "long"};
  auto const folder = [&] {
    auto path = names[random(0, 6)];
    for (auto more = random(0, 2); more > 0; --more) path += '/' + names[random(0, 6)];
    return path;
  };
  Keys keys;
  for (auto left = random(0, 30); left > 0; --left) {
    auto const key = folder() + "/k" + std::to_string(random(0, 9));
    test::put(store, key, keys[key] = std::to_string(left));
  }
  for (int round = 0; round < 8; ++round) {
    auto const from = folder(), to = folder();
    if (!has_any(keys, from)) continue;
    CAPTURE(from);
    CAPTURE(to);
    if (from != to && (is_below(to, from) || has_any(keys, to))) {
      CHECK_THROWS_AS(store.rename(from, to), StoreError);
    } else {
      CHECK(store.rename(from, to));
      Keys after;
      for (auto const& [key, value] : keys) after[is_below(key, from) ? to + key.substr(from.size()) : key] = value;
      keys = after;
    }
    REQUIRE(all_of(store) == keys);
    CHECK_FALSE(store.rename("nothing", to));
  }
  CHECK_THROWS_AS(store.rename("", "x"), StoreError);
  CHECK_THROWS_AS(store.rename("a", ""), StoreError);
}

}  // namespace

TEST_CASE("a folder that is renamed takes its keys along and no others, whatever names are beside it") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) check_renames(MemoryStore<HostBuffer>{}, seed);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::TemporaryFolder const folder;
    check_renames(LocalStore<HostBuffer>{folder / "root"}, seed);
  }
}

TEST_CASE("a folder in memory that is renamed to what sorts right behind it ends at one name") {
  MemoryStore<HostBuffer> const store;
  for (std::string const key : {"a/x", "a/y", "a/z"}) test::put(store, key, key);
  CHECK(store.rename("a", "long"));
  CHECK(all_of(store) == Keys{{"long/x", "a/x"}, {"long/y", "a/y"}, {"long/z", "a/z"}});
}
