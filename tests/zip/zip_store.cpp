// ZipStore: the suite of all stores, zarr-python's files, names, ranges, and invalid files.
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/zip.hpp>
#include <zip/written_zip.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace zip_tests {
namespace {

static_assert(!WritableStore<ZipStore> && ReadsInTurn<ZipStore>);

std::string const data = "tests/zip/data/";

// The files that make.py wrote.
template <class S>
void check_arrays(S const& store) {
  auto const group = open_group(store);
  CHECK(group.attributes().get("state", "") == "last");
  auto const plain = open_array<std::int32_t, 2>(store, "plain").read(all);
  auto const shards = open_any<AllCodecs>(store, "inner/shards").template as<float, 2>();
  CHECK(plain(0, 0) == 0);
  CHECK(plain(3, 5) == 23);
  auto const part = shards.read({{3, 6}, {1, 3}});
  for (std::uint64_t i = 0; i < 3; ++i)
    for (std::uint64_t j = 0; j < 2; ++j) CHECK(part(i, j) == static_cast<float>((i + 3) * 8 + j + 1) / 4);
}

}  // namespace

TEST_CASE("a zip file passes the suite of all stores, stored and deflated") {
  test::TemporaryFolder folder;
  int made = 0;
  for (auto const method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    CAPTURE(method);
    auto const make = [&](testing::StoreValues const& values) {
      std::vector<Entry> entries;
      for (auto const& [name, value] : values) entries.push_back({name, value, method});
      auto const path = folder / std::to_string(++made);
      write_zip(path, entries);
      return ZipStore{path};
    };
    for (auto const& broken : testing::store_conformance(make)) FAIL_CHECK(broken);
  }
  CHECK(made > 10);
}

TEST_CASE("what zarr-python's ZipStore wrote: stored, deflated, and with records of large files") {
  for (auto const* name : {"stored.zarr.zip", "deflated.ozx", "zip64.zarr.zip"}) {
    CAPTURE(name);
    ZipStore const store{data + name};
    CHECK(store.name() == data + name);
    check_arrays(store);
    check_arrays(AnyStore<HostBuffer>{store});
    CHECK(test::listed_directory(store, "") == std::vector<std::string>{"inner/", "plain/", "zarr.json:89"});
    CHECK(test::listed(store, "plain/c") ==
          std::vector<std::string>{"plain/c/0/0:24", "plain/c/0/1:24", "plain/c/1/0:24", "plain/c/1/1:24"});
    std::vector<std::string> children;
    for (auto const& child : open_group(store).children()) children.push_back(child.name);
    std::sort(children.begin(), children.end());
    CHECK(children == std::vector<std::string>{"inner", "plain"});
  }
  CHECK(bytes_of(data + "zip64.zarr.zip").find("PK\6\6") != std::string::npos);
  CHECK(bytes_of(data + "stored.zarr.zip").find("PK\6\6") == std::string::npos);
}

TEST_CASE("of several entries with one name the last is the value") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  write_zip(path, {{"1", "old"}, {"2", "newer"}, {"3", "newest"}, {"b", "else"}});
  auto bytes = bytes_of(path);
  for (std::string const name : {"1", "2", "3"}) set(bytes, name, Field::name, 'a', 1);
  write_bytes(path, bytes);
  ZipStore const store{path};
  CHECK(value(store, "a") == "newest");
  CHECK(value(store, "b") == "else");
  CHECK(test::listed(store, "") == std::vector<std::string>{"a:6", "b:4"});
}

TEST_CASE("entries whose names are no keys are not there") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  write_zip(path, {{"/absolute", "x"},
                   {"../up", "x"},
                   {"a/../b", "x"},
                   {"a//b", "x"},
                   {"a/", ""},
                   {"./c", "x"},
                   {"a\\b", "x"},
                   {"C:\\d", "x"},
                   {"ok", "x"},
                   {"gr\xc3\xb6\xc3\x9f"
                    "e/x",
                    "y"}});
  ZipStore const store{path};
  CHECK(test::listed(store, "") == std::vector<std::string>{"gr\xc3\xb6\xc3\x9f"
                                                            "e/x:1",
                                                            "ok:1"});
  CHECK(test::listed_directory(store, "") == std::vector<std::string>{"gr\xc3\xb6\xc3\x9f"
                                                                      "e/",
                                                                      "ok:1"});
  CHECK(value(store,
              "gr\xc3\xb6\xc3\x9f"
              "e/x") == "y");
  CHECK(value(store, "a\\b") == "(missing)");
  for (auto const* key : {"/absolute", "../up", "a/../b", "a//b", "a/", "./c", ""})
    check_refused<StoreError>([&] { value(store, key); }, {path.c_str(), "not a key"});
  check_refused<StoreError>([&] { test::listed(store, "../up"); }, {path.c_str(), "key \"../up\"", "not a key"});
}

TEST_CASE("a zero byte cuts no name: neither a path nor an entry is another one") {
  test::TemporaryFolder folder;
  auto const path = (folder.path() / "a.zip").string();
  write_zip(path, {{"aXb", "other", ZIP_CM_STORE}, {"b", "b", ZIP_CM_STORE}});
  std::ifstream written{path, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{written}, {}};
  for (std::size_t at = 0; (at = bytes.find("aXb", at)) != bytes.npos;) bytes[at + 1] = '\0';
  std::ofstream{path, std::ios::binary} << bytes;
  CHECK(value(ZipStore{path}, "a") == "(missing)");
  CHECK(value(ZipStore{path}, "b") == "b");
  check_refused<StoreError>([&] { ZipStore{path + '\0' + "zzz"}; }, {"\\u{0}zzz", "zero byte"});
}

TEST_CASE("messages say whether a folder is missing, or its document") {
  ZipStore const store{data + "stored.zarr.zip"};
  CHECK(store.has_folder(""));
  CHECK(store.has_folder("inner/shards/c"));
  CHECK_FALSE(store.has_folder("inn"));
  CHECK_FALSE(store.has_folder("zarr.json"));
  check_refused<NodeNotFound>([&] { open_group(store, "other"); }, {"other", "its folder is missing"});
  check_refused<NodeNotFound>([&] { open_group(store, "plain/c"); }, {"plain/c", "the document is missing"});
}

TEST_CASE("ranges of one value are read from front to back, each before the next is asked for") {
  test::TemporaryFolder folder;
  auto const text = long_text(100'000);
  for (auto const method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    CAPTURE(method);
    auto const path = folder / std::to_string(method);
    write_zip(path, {{"a", text, method}, {"b", "other", method}});
    ZipStore const store{path};
    std::vector<ByteRange> const ranges{{90'000, 50}, {10, 20'000}, ByteRange::suffix(7), {5'000, 60'000}, {0, 3},
                                        {100'000, 9}, {40, 0},      ByteRange::suffix(0), {99'990, 100}};
    std::string read(30'000 + 60'000, ' ');
    std::string* last = nullptr;
    std::vector<std::uint64_t> asked;
    std::vector<std::string> parts(ranges.size());
    std::vector<FunctionRef<ByteSpan<space::Host>(std::size_t)>> none;
    auto const part_of = [&](std::size_t i) {
      return [&, i](std::size_t size) {
        if (last) CHECK(last->find('\1') == std::string::npos);
        parts[i].assign(size, '\1');
        last = &parts[i];
        asked.push_back(ranges[i].resolve(text.size()).offset);
        return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(parts[i].data()), size};
      };
    };
    Key const a{"a"}, b{"b"}, missing{"c"};
    std::vector<decltype(part_of(0))> destinations;
    for (std::size_t i = 0; i < ranges.size(); ++i) destinations.push_back(part_of(i));
    std::vector<ReadRequest<space::Host>> requests;
    for (std::size_t i = 0; i < ranges.size(); ++i) requests.push_back({&a, ranges[i], destinations[i]});
    std::string of_b;
    auto const to_b = [&](std::size_t size) {
      of_b.resize(size);
      return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(of_b.data()), size};
    };
    requests.push_back({&missing, {}, to_b, 5});
    requests.push_back({&b, {1, 3}, to_b});
    Queue<space::Host> on;
    store.get_many(requests, on);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      auto const [offset, size] = ranges[i].resolve(text.size());
      CHECK(parts[i] == text.substr(offset, size));
      CHECK(requests[i].size == size);
    }
    CHECK(asked.size() == ranges.size());
    CHECK(std::is_sorted(asked.begin(), asked.end()));
    CHECK_FALSE(requests[ranges.size()].size);
    CHECK(of_b == "the");

    auto to_a = part_of(0);
    ReadRequest<space::Host> other{&a, {0, 1}, to_a};
    other.value_size = 99;
    check_refused<StoreError>([&] { store.get_many({&other, 1}, on); }, {"key \"a\"", "100000 bytes, expected 99"});
    check_refused<StoreError>([&] { value(store, "a", {100'001}); }, {path.c_str(), "key \"a\"", "byte 100001"});
  }
}

TEST_CASE("what is no zip file is refused by name") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  auto const refuse = [&](std::string const& name, std::initializer_list<char const*> words) {
    check_refused<StoreError>([&] { ZipStore{name}; }, words);
    check_refused<StoreError>([&] { ZipStore{name}; }, {name.c_str(), "expected a"});
  };
  refuse(folder / "none.zip", {"expected a zip file", "No such file"});
  refuse(folder / "", {"found a folder, expected a zip file"});
  refuse("/dev/null", {"found no regular file, expected a zip file"});
  refuse("s3://bucket/a.zip", {"found a URL of scheme \"s3\", expected a path"});
  refuse("file:///a.zip", {"file://"});
  write_bytes(path, "");
  refuse(path, {"found an empty file, expected a zip file"});
  write_bytes(path, "no zip file, but longer than the least one");
  refuse(path, {"expected a zip file, libzip says: "});
  auto const whole = bytes_of(data + "stored.zarr.zip");
  write_bytes(path, whole.substr(0, whole.size() - 30));
  refuse(path, {"expected a zip file, libzip says: "});
}

}  // namespace zip_tests
