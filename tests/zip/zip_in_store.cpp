// ZipStore of a file that is a value of another store: the requests that it makes, their failures, and changes.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>
#include <tessera/with/detail/zip/zip_records.hpp>
#include <tessera/with/zip.hpp>
#include <zip/written_zip.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace zip_tests {
namespace {

// Notes the ranges that are read, "offset+size", and refuses reads when told to.
struct Noted : WrapperStore<LocalStore<HostBuffer>> {
  using WrapperStore::WrapperStore;
  struct State {
    std::mutex mutex;
    std::vector<std::string> ranges;
    std::uint64_t bytes = 0;
    int calls = 0;  // of get_many
    bool fails = false;
  };
  std::shared_ptr<State> state = std::make_shared<State>();

  std::string name() const { return "https://host/of"; }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> to,
                                  Queue<space::Host>& on) const {
    std::lock_guard const held{state->mutex};
    if (state->fails) throw StoreError{"the server answered 503"}.in_key(key.path).in_store(name());
    auto const size = source().read(key, range, to, on);
    state->ranges.push_back(std::to_string(range.offset) + '+' + std::to_string(size.value_or(0)));
    state->bytes += size.value_or(0);
    return size;
  }
  void get_many(std::span<ReadRequest<space::Host>> requests, Queue<space::Host>& on) const {
    for (auto& request : requests) request.size = read(*request.key, request.range, request.destination, on);
    std::lock_guard const held{state->mutex};
    ++state->calls;
  }
  std::optional<std::uint64_t> size(Key const& key, Queue<space::Host>& on) const { return source().size(key, on); }
  std::size_t requests() const {
    std::lock_guard const held{state->mutex};
    return std::exchange(state->ranges, {}).size();
  }
};

Noted below(test::TemporaryFolder const& folder) { return Noted{LocalStore<HostBuffer>{folder / ""}}; }

std::string noise(std::size_t size) {
  std::string text(size, ' ');
  std::uint32_t state = 1;
  for (auto& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

}  // namespace

TEST_CASE("a zip file in a store passes the suite of all stores, stored and deflated") {
  test::TemporaryFolder folder;
  int made = 0;
  for (auto const method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    auto const make = [&](testing::StoreValues const& values) {
      std::vector<Entry> entries;
      for (auto const& [name, value] : values) entries.push_back({name, value, method});
      auto const file = std::to_string(++made) + ".zip";
      write_zip(folder / file, entries);
      return ZipStore{below(folder), {file}};
    };
    for (auto const& broken : testing::store_conformance(make)) FAIL_CHECK(broken);
  }
  CHECK(made > 10);
}

TEST_CASE("what zarr-python's ZipStore wrote, with records of large files too, read through a store") {
  LocalStore<HostBuffer> const files{"tests/zip/data"};
  for (auto const* name : {"stored.zarr.zip", "deflated.ozx", "zip64.zarr.zip"}) {
    ZipStore const store{files, {name}};
    auto const plain = open_array<std::int32_t, 2>(store, "plain").read(all);
    for (std::uint64_t i = 0; i < 4; ++i)
      for (std::uint64_t j = 0; j < 6; ++j) CHECK(plain(i, j) == static_cast<std::int32_t>(i * 6 + j));
  }
}

TEST_CASE("the directory is read once; a value read whole is one request, a part of a stored one two") {
  test::TemporaryFolder folder;
  auto const large = noise(300'000);
  write_zip(folder / "a.zip",
            {{"stored", large}, {"deflated", long_text(200'000) + large, ZIP_CM_DEFLATE}, {"c", "x"}});
  auto const store = below(folder);
  ZipStore const zip{store, {"a.zip"}};
  CHECK(zip.name() == "https://host/of/a.zip");
  CHECK(store.requests() == 1);
  CHECK(store.state->bytes < 70'000);
  CHECK(value(zip, "stored") == large);
  CHECK(store.requests() == 1);
  CHECK(value(zip, "deflated") == long_text(200'000) + large);
  CHECK(store.requests() == 1);
  auto const before = store.state->bytes;
  CHECK(value(zip, "stored", {1000, 50}) == large.substr(1000, 50));
  CHECK(store.requests() == 2);
  CHECK(store.state->bytes - before < 200);
  CHECK(value(zip, "missing") == "(missing)");
  CHECK(test::listed_directory(zip, "").size() == 3);
  CHECK(store.requests() == 0);
}

TEST_CASE("what a call asks for is one call of the store below, of whole values and of parts") {
  test::TemporaryFolder folder;
  auto const text = noise(40 * 9000);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < 40; ++i)
    entries.push_back(
        {"v" + std::to_string(i), text.substr(i * 9000, 9000), i % 4 == 3 ? ZIP_CM_DEFLATE : ZIP_CM_STORE});
  entries.push_back({"large", noise(70 << 20)});  // more than is kept at once
  write_zip(folder / "a.zip", entries);
  auto const store = below(folder);
  ZipStore const zip{store, {"a.zip"}};
  auto const check = [&](auto const& asked, int calls, std::size_t ranges) {
    std::vector<Key> keys;
    for (auto const& [name, range] : asked) keys.push_back({name});
    std::vector<std::string> found(keys.size());
    std::deque<std::function<ByteSpan<space::Host>(std::size_t)>> destinations;
    std::vector<ReadRequest<space::Host>> requests;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto const& to = destinations.emplace_back([&found, i](std::size_t n) {
        found[i].resize(n);
        return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(found[i].data()), n};
      });
      requests.push_back({&keys[i], asked[i].second, to});
    }
    store.requests(), store.state->calls = 0;
    Queue<space::Host> on;
    zip.get_many(requests, on);
    CHECK(store.state->calls == calls);
    CHECK(store.requests() == ranges);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto const entry = std::ranges::find(entries, keys[i].path, &Entry::name);
      REQUIRE(requests[i].size.has_value() == (entry != entries.end()));
      if (entry == entries.end()) continue;
      auto const [offset, size] = asked[i].second.resolve(entry->value.size());
      CHECK(found[i] == entry->value.substr(offset, size));
    }
  };
  std::vector<std::pair<std::string, ByteRange>> whole, parts;
  for (int i = 0; i < 40; ++i) whole.push_back({"v" + std::to_string(i), {}});
  whole.push_back({"none", {}});
  check(whole, 1, 40);
  for (int i = 0; i < 8; ++i)
    for (auto const& range : {ByteRange{0, 10}, ByteRange{8000, 50}, ByteRange::suffix(7), ByteRange{9000, 5}})
      parts.push_back({"v" + std::to_string(i), range});
  check(parts, 1, 6 * 4 + 2);  // a header and three parts, or a deflated value
  auto const large = store.state->bytes;
  check(std::vector<std::pair<std::string, ByteRange>>{{"large", {}}, {"v1", {}}, {"large", {60 << 20, 5}}}, 2, 5);
  CHECK(store.state->bytes - large < (71 << 20));
  parts.clear();
  for (std::uint64_t i = 0; i < 70; ++i) parts.push_back({"large", {i << 20, 1 << 20}});
  check(parts, 2, 2 + 70);  // at most 64 MiB at a time, also of one value
}

TEST_CASE("a file that says that it is huge, and so is its directory, takes no memory for that") {
  auto const size = std::uint64_t{1} << 42, directory = size / 2;
  constexpr std::uint64_t end_bytes = 56 + 20 + 22;
  auto const end = detail::zip_end(1, directory, size - directory - end_bytes, "");
  REQUIRE(end.size() == end_bytes);
  auto const places = detail::zip_places(size, [&](std::uint64_t offset, ByteSpan<space::Host> to) {
    if (offset < size - 66'000) return false;
    for (std::size_t i = 0; i < to.size; ++i) {
      auto const left = size - offset - i;
      to.data[i] = left <= end_bytes ? static_cast<std::byte>(end[end_bytes - left]) : std::byte{0};
    }
    return true;
  });
  CHECK(places.empty());
}

TEST_CASE("a directory of a million bytes takes few requests, and many threads read one file") {
  test::TemporaryFolder folder;
  std::vector<Entry> entries;
  for (int i = 0; i < 20'000; ++i)
    entries.push_back({"folder/with/a/long/name/" + std::to_string(i), std::to_string(i)});
  write_zip(folder / "a.zip", entries);
  auto const store = below(folder);
  ZipStore const zip{store, {"a.zip"}};
  CHECK(store.requests() <= 4);
  Queue<space::Host> threads{8};
  std::atomic<int> wrong = 0;
  threads.for_each(64, [&](std::size_t i) {
    auto const n = std::to_string(i * 300);
    wrong += value(zip, "folder/with/a/long/name/" + n) != n;
  });
  CHECK(wrong == 0);
  CHECK(store.requests() == 64);  // no thread reads the directory again
}

TEST_CASE("a store's error is that of the read, and a later read succeeds") {
  test::TemporaryFolder folder;
  write_zip(folder / "a.zip", {{"b", long_text(5000), ZIP_CM_DEFLATE}, {"a", noise(100'000)}});
  auto const store = below(folder);
  ZipStore const zip{store, {"a.zip"}};
  for (auto const* key : {"a", "b"}) {
    store.state->fails = true;
    check_refused<StoreError>([&] { value(zip, key); }, {"https://host/of", "503", "a.zip"});
    store.state->fails = false;
    CHECK(value(zip, key).size() >= 5000);
  }
  store.state->fails = true;
  check_refused<StoreError>([&] { ZipStore(store, {"a.zip"}); }, {"https://host/of", "503"});
}

TEST_CASE("what is no zip file, is missing, or was replaced is refused by name") {
  test::TemporaryFolder folder;
  auto const store = below(folder);
  CHECK(!ZipStore::find(store, {"none.zip"}));
  check_refused<StoreError>([&] { ZipStore(store, {"none.zip"}); }, {"https://host/of", "none.zip", "no such value"});
  for (auto const* bytes : {"", "x", "no zip file"}) {
    write_bytes(folder / "a.zip", bytes);
    check_refused<StoreError>([&] { ZipStore(store, {"a.zip"}); }, {"a.zip", "zip file"});
  }
  write_zip(folder / "a.zip", {{"a", noise(100'000)}});
  ZipStore const zip{store, {"a.zip"}};
  write_zip(folder / "a.zip", {{"a", long_text(100'000)}});
  check_refused<StoreError>([&] { value(zip, "a"); }, {"https://host/of/a.zip", "key \"a\"", "CRC error"});
}

TEST_CASE("a directory that lies about its place or its length reads no more than the file has") {
  test::TemporaryFolder folder;
  write_zip(folder / "a.zip", {{"a", noise(200'000)}});
  auto const good = bytes_of(folder / "a.zip");
  auto const end = good.rfind("PK\5\6");
  auto const store = below(folder);
  for (std::size_t byte = 8; byte < 20; ++byte)
    for (auto const wrong : {'\0', '\1', '\x7f', '\xff'}) {
      auto bad = good;
      bad[end + byte] = wrong;
      write_bytes(folder / "b.zip", bad);
      store.state->bytes = 0;
      try {
        ZipStore const zip{store, {"b.zip"}};
        CHECK(value(zip, "a") == noise(200'000));
      } catch (StoreError const&) {
      }
      CHECK(store.state->bytes < 3 * good.size());
    }
}

}  // namespace zip_tests
