// The specification's requirements on stores, statement by statement; the conformance suite requires more.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::check_refused;
using test::listed;
using test::put;
using test::value;
using Strings = std::vector<std::string>;

namespace {

// Calls f with an empty store of each kind.
template <class F>
void for_each_store(F&& f) {
  test::TemporaryFolder const folder;
  f(LocalStore<HostBuffer>{folder / "store"});
  f(MemoryStore<HostBuffer>{});
}

// Only reading: no list, no get_many.
struct Smallest {
  using buffer_type = HostBuffer;
  MemoryStore<HostBuffer> values{};
  bool fails = false;
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    if (fails && key.path.find("zarr.json") == std::string::npos) throw StoreError{"the line is dead"};
    return values.read(key, range, destination, on);
  }
};

}  // namespace

TEST_CASE("keys are names between slashes, and case matters (STORE-01)") {
  for_each_store([](auto const& store) {
    put(store, "a/K", "1");
    put(store, "a/k", "2");
    CHECK(value(store, "a/K") == "1");
    CHECK(value(store, "a/k") == "2");
    for (std::string const key : {"", "/", "a/", "/a", "a//b", "..", "a/../b", ".", "a/."}) {
      CAPTURE(key);
      CHECK_THROWS_AS(value(store, key), StoreError);
      CHECK_THROWS_AS(put(store, key, "x"), StoreError);
    }
  });
}

TEST_CASE(
    "values and ranges, many at once, the same key too; a missing one is told in its place (STORE-02, STORE-07)") {
  for_each_store([](auto const& store) {
    put(store, "k", "0123456789");
    Key const there{"k"}, missing{"m"};
    std::vector<std::string> values(5);
    auto const destination = [&](std::size_t i) {
      return [&values, i](std::size_t n) -> test::HostSpan {
        values[i].resize(n);
        return {reinterpret_cast<std::byte*>(values[i].data()), n};
      };
    };
    auto destinations = std::vector{destination(0), destination(1), destination(2), destination(3), destination(4)};
    std::vector<ReadRequest<space::Host>> requests{{&there, {2, 3}, destinations[0]},
                                                   {&missing, {2, 3}, destinations[1]},
                                                   {&there, {7}, destinations[2]},
                                                   {&there, {2, 99}, destinations[3]},
                                                   {&there, ByteRange::suffix(2), destinations[4]}};
    test::HostQueue on;
    get_many(store, std::span{requests}, on);
    CHECK(values == Strings{"234", "", "789", "23456789", "89"});
    CHECK_FALSE(requests[1].size);
    CHECK(requests[2].size == 3);
    check_refused<StoreError>([&] { value(store, "k", {11, 1}); }, {"key \"k\"", "byte 11", "10 bytes"});
  });
}

TEST_CASE("a failure is an error, never a missing key or the fill value (STORE-03, FILL-02)") {
  Smallest store;
  put(store.values, "a/zarr.json", test::array_document().set("fill_value", "7").text());
  put(store.values, "a/c/0", "\x01\x02");
  auto const array = [&] { return open_array<std::uint8_t, 1>(store, "a"); };
  std::vector<std::uint8_t> elements(4);
  array().read(all, elements);
  CHECK(elements == std::vector<std::uint8_t>{1, 2, 7, 7});
  store.fails = true;
  check_refused<StoreError>([&] { array().read(all, elements); }, {"key \"a/c/", "the line is dead"});
}

TEST_CASE("values are set, set again and erased, and erasing what is not there is no error (STORE-04, STORE-09)") {
  for_each_store([](auto const& store) {
    put(store, "a/k", "long value");
    put(store, "a/k", "short");
    CHECK(value(store, "a/k") == "short");
    CHECK(test::erase(store, "a/k"));
    CHECK(value(store, "a/k") == "(missing)");
    CHECK_FALSE(test::erase(store, "a/k"));
    CHECK_FALSE(test::erase(store, "never/there"));
  });
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  put(store, "a/k", "x");
  CHECK(test::erase(store, "a/k"));
  CHECK_FALSE(std::filesystem::exists(folder / "a/k"));
}

TEST_CASE("listing by prefix and by folder (STORE-05)") {
  for_each_store([](auto const& store) {
    for (auto* key : {"a/b", "a/c/d", "a/c/e", "ab/c", "f"}) put(store, key, "x");
    CHECK(listed(store, "a") == Strings{"a/b:1", "a/c/d:1", "a/c/e:1"});
    CHECK(listed(store, "").size() == 5);
    CHECK(test::listed_directory(store, "a") == Strings{"a/b:1", "a/c/"});
    CHECK(test::listed_directory(store, "") == Strings{"a/", "ab/", "f:1"});
    CHECK(listed(store, "g").empty());
    CHECK(test::listed_directory(store, "g/h").empty());
  });
}

TEST_CASE("a store that only reads is enough for arrays (STORE-06)") {
  static_assert(ReadableStore<Smallest> && !WritableStore<Smallest> && !ListableStore<Smallest>);
  Smallest const store;
  put(store.values, "zarr.json", test::array_document().text());
  put(store.values, "c/1", "\x03\x04");
  std::vector<std::uint8_t> elements(4);
  open_array<std::uint8_t, 1>(store).read(all, elements);
  CHECK(elements == std::vector<std::uint8_t>{0, 0, 3, 4});
}

TEST_CASE("keys are files below the root, and only files are listed (STORE-08, STORE-11)") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  put(store, "a/c/0", "x");
  CHECK(std::filesystem::is_regular_file(folder / "a/c/0"));
  std::filesystem::create_directories(folder / "empty/folder");
  CHECK(listed(store, "") == Strings{"a/c/0:1"});
  CHECK(value(store, "a/c") == "(missing)");
  check_refused<StoreError>([&] { put(store, "a/c/0/below", "y"); }, {"a/c/0/below"});
  check_refused<StoreError>([&] { put(store, "a/c", "y"); }, {"a/c"});
  CHECK(value(store, "a/c/0") == "x");
}
