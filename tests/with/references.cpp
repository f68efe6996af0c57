// ReferenceStore: the suite of all stores, what kerchunk's JSON can say, arrays in other files, and wrong references.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/references.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace reference_tests {
namespace {

AnyStore<HostBuffer> local(std::string const& folder) { return LocalStore<HostBuffer>{folder}; }

ReferenceStore references(std::string const& json, std::string const& folder = {}) {
  return ReferenceStore{json, local, folder, "refs.json"};
}
std::string quoted(std::string const& text) { return to_json(Value{text}); }

void write_file(std::string const& path, std::string_view bytes) { std::ofstream{path, std::ios::binary} << bytes; }

}  // namespace

TEST_CASE("references pass the suite of all stores: texts, whole files and ranges") {
  test::TemporaryFolder folder;
  int made = 0;
  for (int kind = 0; kind < 3; ++kind) {
    CAPTURE(kind);
    auto const make = [&](testing::StoreValues const& values) {
      std::string refs;
      for (auto const& [key, bytes] : values) {
        auto const file = folder / std::to_string(++made);
        auto const* data = reinterpret_cast<std::byte const*>(bytes.data());
        write_file(file, kind == 2 ? "before" + bytes + "behind" : bytes);
        refs += (refs.empty() ? "" : ", ") + quoted(key) + ": ";
        refs += kind == 0   ? quoted("base64:" + detail::encode_base64({data, bytes.size()}))
                : kind == 1 ? '[' + quoted(file) + ']'
                            : '[' + quoted(file) + ", 6, " + std::to_string(bytes.size()) + ']';
      }
      return references(R"({"version": 1, "refs": {)" + refs + "}}");
    };
    for (auto const& broken : testing::store_conformance(make)) FAIL_CHECK(broken);
  }
  CHECK(made > 10);
}

TEST_CASE("all that a references file can say") {
  test::TemporaryFolder folder;
  write_file(folder / "data.bin", "0123456789");
  auto const store = references(R"({
      "version": 1,
      "templates": {"u": "data.bin", "dir": "./"},
      "gen": [],
      "refs": {"text": "{\"a\": 1}", "bytes": "base64:AAH/", "empty": "", "quoted": "base64", "object": {"a": [1]},
               "whole": ["{{u}}"], "part": ["{{ dir }}{{u}}", 2, 3], "none": ["data.bin", 10, 0]}})",
                                folder.path().string());
  CHECK(store.name() == "refs.json");
  CHECK(value(store, "text") == "{\"a\": 1}");
  CHECK(value(store, "bytes") == std::string{"\0\1\xff", 3});
  CHECK(value(store, "empty").empty());
  CHECK(value(store, "quoted") == "base64");
  CHECK(parse_json(value(store, "object")) == Value{Members{{"a", {1}}}});
  CHECK(value(store, "whole") == "0123456789");
  CHECK(value(store, "whole", ByteRange::suffix(2)) == "89");
  CHECK(value(store, "part") == "234");
  CHECK(value(store, "part", {1, 5}) == "34");
  CHECK(value(store, "part", ByteRange::suffix(1)) == "4");
  CHECK(value(store, "none").empty());
  CHECK(value(store, "missing") == "(missing)");
  CHECK(test::listed(store, "").size() == 8);
  CHECK(std::ranges::count(test::listed(store, ""), "whole:10") == 1);
  CHECK(value(references(R"({"a": "x", "b": ["data.bin", 0, 1]})", folder.path().string()), "b") == "0");  // version 0
}

TEST_CASE("addresses of files: their store and their key") {
  auto const check = [](std::string const& address, std::string const& folder, std::string const& key) {
    CAPTURE(address);
    auto const file = detail::referenced_file(address);
    CHECK(file.folder == folder);
    CHECK(file.key == key);
  };
  check("https://me:pass@host:80/a/b%20c?sig=/x", "https://me:pass@host:80?sig=/x", "a/b c");
  check("s3://bucket/a/b?c", "s3://bucket", "a/b?c");
  check("/a/b/c", "/a/b", "c");
  check("/c", "/", "c");
  check("file:///a/b%20c", "/a", "b c");
  check("c", ".", "c");
  for (auto const* wrong :
       {"https://host", "https://host/", "s3://bucket/a/../b", "/a/", "https://u:sEcret@host/a//b?sEcret"})
    CHECK(test::error_of([&] { detail::referenced_file(wrong); }).find("sEcret") == std::string::npos);
}

TEST_CASE("an array of which chunks are in one file, in any order, and one is missing") {
  test::TemporaryFolder folder;
  std::vector<std::int16_t> const numbers{10, 11, 12, 13, 0, 1, 2, 3};
  write_file(folder / "old.nc", "HDF" + std::string(reinterpret_cast<char const*>(numbers.data()), 16));
  auto const store = references(R"({"version": 1, "refs": {
      ".zgroup": "{\"zarr_format\": 2}",
      "t/.zarray": "{\"zarr_format\": 2, \"shape\": [4, 3], \"chunks\": [2, 2], \"dtype\": \"<i2\", \"order\": \"C\", )"
      R"(\"compressor\": null, \"filters\": null, \"fill_value\": -1}",
      "t/.zattrs": "{\"unit\": \"K\"}",
      "t/0.0": ["old.nc", 11, 8], "t/0.1": ["old.nc", 3, 8]}})",
                                folder.path().string());
  auto const array = open_array<std::int16_t, 2>(store, "t");
  auto const read = array.read(all);
  CHECK(read(0, 0) == 0);
  CHECK(read(1, 1) == 3);
  CHECK(read(0, 2) == 10);
  CHECK(read(1, 2) == 12);
  CHECK(read(3, 2) == -1);
  CHECK(array.attributes().get("unit", "") == "K");
  CHECK(open_group(store).children().front().name == "t");
}

TEST_CASE("what kerchunk wrote of an HDF5 file: plain, shuffled and deflated, and in the references themselves") {
  auto const json = value(LocalStore<HostBuffer>{"tests/with/data"}, "references.json");
  auto const store = references(json, "tests/with/data");
  auto const plain = open_array<std::int32_t, 2, AllCodecs>(store, "plain");
  auto const packed = open_array<double, 2, AllCodecs>(store, "group/packed");
  auto const integers = plain.read(all);
  auto const decimals = packed.read(all);
  for (std::uint64_t i = 0; i < 20; ++i)
    for (std::uint64_t j = 0; j < 30; ++j) {
      CHECK(integers(i, j) == static_cast<std::int32_t>(i * 30 + j));
      CHECK(decimals(i, j) == static_cast<double>(i * 30 + j) / 4);
    }
  CHECK(open_array<std::uint16_t, 1, AllCodecs>(store, "small").read(all)(4) == 4);
  CHECK(plain.attributes().get("units", "") == "K");
  CHECK(open_group(store).attributes().get("title", "") == "made for tests");
  CHECK(open_group(store).children().size() == 3);
}

TEST_CASE("ranges of one file are asked of its store at once") {
  struct Counted : WrapperStore<LocalStore<HostBuffer>> {
    using WrapperStore::WrapperStore;
    std::shared_ptr<std::vector<std::size_t>> batches = std::make_shared<std::vector<std::size_t>>();
    void get_many(std::span<ReadRequest<space::Host>> requests, Queue<space::Host>& on) const {
      batches->push_back(requests.size());
      source().get_many(requests, on);
    }
  };
  test::TemporaryFolder folder;
  write_file(folder / "x", "0123456789");
  write_file(folder / "y", "abc");
  Counted const counted{LocalStore<HostBuffer>{folder.path().string()}};
  ReferenceStore const store{R"({"a": ["x", 0, 1], "b": ["y", 1, 1], "c": ["x", 5, 2], "d": "D"})",
                             [&](std::string const&) { return AnyStore<HostBuffer>{counted}; },
                             folder.path().string()};
  Queue<space::Host> on;
  std::vector<Key> const keys{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}};
  std::vector<std::string> got(keys.size());
  std::vector<std::function<ByteSpan<space::Host>(std::size_t)>> destinations;
  for (auto& one : got)
    destinations.push_back([&](std::size_t n) {
      one.resize(n);
      return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(one.data()), n};
    });
  std::vector<ReadRequest<space::Host>> requests;
  for (std::size_t i = 0; i < keys.size(); ++i) requests.push_back({&keys[i], {}, destinations[i]});
  store.get_many(requests, on);
  CHECK(got == std::vector<std::string>{"0", "b", "56", "D", ""});
  CHECK(!requests[4].size);
  CHECK(*counted.batches == std::vector<std::size_t>{3});
}

TEST_CASE("files that are missing or too short are errors that name them, and no missing chunks") {
  test::TemporaryFolder folder;
  write_file(folder / "x", "0123");
  auto const store = references(R"({"a": ["x", 2, 3], "b": ["none"], "c": ["none", 0, 1], "d": ["x", 9, 1]})",
                                folder.path().string());
  auto const path = folder.path().string();
  check_refused<StoreError>([&] { value(store, "a"); }, {path.c_str(), "key \"x\"", "ends after 4 bytes", "expects 5"});
  for (auto const* key : {"b", "c"})
    check_refused<StoreError>([&] { value(store, key); }, {path.c_str(), "key \"none\"", key, "missing"});
  check_refused<StoreError>([&] { value(store, "d"); }, {path.c_str(), "key \"x\""});
  check_refused<StoreError>([&] { test::listed(store, ""); }, {"none", "missing"});
}

// Tells of each value as soon as it is read.
struct Telling : MemoryStore<HostBuffer> {
  void get_many(std::span<ReadRequest<space::Host>> requests, tessera::Queue<space::Host>& on) const {
    for (auto& request : requests) {
      request.size = read(*request.key, request.range, request.destination, on);
      while (request.arrived && (*request.arrived)(request.size)) continue;
    }
  }
};

TEST_CASE("a missing file is an error before the reader hears of its chunk, which would be the fill value") {
  Telling const files;
  test::put(files, "x", "0123");
  ReferenceStore const store{R"({"a": ["x", 1, 2], "b": ["none", 0, 1], "c": ["x", 0, 1]})",
                             [&](std::string const&) { return AnyStore<HostBuffer>{files}; }, "folder"};
  std::vector<std::optional<std::size_t>> told;
  auto const tell = [&](std::optional<std::size_t> size) { return told.push_back(size), told.size() == 1; };
  FunctionRef<bool(std::optional<std::size_t>)> const arrived{tell};
  char memory[2];
  auto const to = [&](std::size_t n) { return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(memory), n}; };
  std::vector<Key> const keys{{"a"}, {"b"}, {"c"}};
  std::vector<ReadRequest<space::Host>> requests;
  for (auto const& key : keys) requests.push_back({.key = &key, .range = {}, .destination = to, .arrived = &arrived});
  Queue<space::Host> on;
  check_refused<StoreError>([&] { store.get_many(requests, on); }, {"key \"none\"", "for \"b\"", "missing"});
  CHECK(std::ranges::all_of(told, [](auto const& size) { return size.has_value(); }));
  told.clear();
  std::erase_if(requests, [](auto const& request) { return request.key->path == "b"; });
  store.get_many(requests, on);
  CHECK(told == std::vector<std::optional<std::size_t>>{2, 2, 1});  // "a" is told again, because it asked for it
}

TEST_CASE("options that may be secret go to the host of the references only, and by the same scheme") {
  MemoryStore<HostBuffer> const files;
  std::map<std::string, bool> opened;
  auto const open = [&](std::string const& folder, bool is_trusted) {
    opened[folder] = is_trusted;
    return StoreAt{files};
  };
  test::put(files, "x", "value");
  test::put(files, "refs.json", R"({"a": ["x"], "b": ["http://host/x"], "c": ["https://other/x"],
                                    "d": ["s3://host/x"], "e": ["/etc/x"], "f": ["file:///etc/x"]})");
  auto const check = [&](std::string const& address, std::map<std::string, bool> const& expected) {
    CAPTURE(address);
    opened.clear();
    auto const found = detail::references_at(address, open);
    REQUIRE(found);
    for (auto const* key : {"a", "b", "c", "d"}) CHECK(value(found->store, key) == "value");
    for (auto const* key : {"e", "f"})
      check_refused<StoreError>([&] { value(found->store, key); }, {"files of this machine"});
    CHECK(opened == expected);
  };
  check("https://host/refs.json?token", {{"https://host?token", true},
                                         {"https://host", true},
                                         {"http://host", false},
                                         {"https://other", false},
                                         {"s3://host", false}});
  check("s3://host/refs.json", {{"s3://host", true}, {"http://host", false}, {"https://other", false}});
}

TEST_CASE("references in Parquet are refused with how to convert them; a folder of such a name is a hierarchy") {
  using Paths = Schemes<scheme::Folder>;
  test::TemporaryFolder folder;
  LocalStore<HostBuffer> const files{folder / ""};
  test::put(files, "refs.parq/.zmetadata", R"({"metadata": {}, "record_size": 10})");
  for (std::string const inside : {"", "/a", "/a/b"})
    check_refused<StoreError>([&] { open_references<Paths>(folder / ("refs.parq" + inside)); },
                              {"refs.parq", "Parquet", "save_json"});
  test::put(files, "data.parquet/.zmetadata", "{}");
  test::put(files, "data.parquet/.zgroup", "{}");
  CHECK(!open_references<Paths>(folder / "data.parquet"));
  CHECK(!open_references<Paths>(folder / "none.parq"));
}

TEST_CASE("what is no references file is refused, with the member's name") {
  auto const wrong = [](std::string const& json, std::initializer_list<char const*> words) {
    CAPTURE(json);
    check_refused<MetadataError>([&] { references(json); }, words);
  };
  wrong("{", {"refs.json"});
  wrong("[]", {"refs.json", "object"});
  wrong(R"({"version": 2, "refs": {}})", {"version", "1"});
  wrong(R"({"version": 1, "refs": []})", {"refs"});
  wrong(R"({"version": 1, "refs": {"a": 7}})", {"refs.a", "7"});
  wrong(R"({"version": 1, "refs": {"a": ["x", 1]}})", {"refs.a", "offset"});
  wrong(R"({"version": 1, "refs": {"a": ["x", -1, 1]}})", {"refs.a", "-1"});
  wrong(R"({"version": 1, "refs": {"a": ["x", 1.5, 1]}})", {"refs.a", "1.5"});
  wrong(R"({"version": 1, "refs": {"a": ["x", 18446744073709551615, 1]}})", {"refs.a", "64 bits"});
  wrong(R"({"version": 1, "refs": {"a": "base64:***"}})", {"refs.a", "base64"});
  wrong(R"({"version": 1, "refs": {"../a": "x"}})", {"../a", "no key"});
  wrong(R"({"version": 1, "refs": {"a": ["{{u}}"]}})", {"refs.a", "template"});
  wrong(R"({"version": 1, "templates": {"u": "x{{c}}"}, "refs": {"a": ["{{u(c=1)}}"]}})", {"refs.a", "template"});
  wrong(R"({"version": 1, "templates": {"u": ")" + std::string(30'000, 'x') +
            R"("}, "refs": {"a": ["{{u}}{{u}}{{u}}{{u}}"]}})",
        {"refs.a", "65536"});
  wrong(R"({"version": 1, "gen": [{"key": "a"}], "refs": {}})", {"gen", "not supported"});
  std::string many;
  for (int i = 0; i < 2200; ++i) many += to_text({i ? ", " : "", "\"", i, "\": [\"{{u}}{{u}}{{u}}", i, "\"]"});
  wrong(R"({"version": 1, "templates": {"u": ")" + std::string(21'000, 'x') + R"("}, "refs": {)" + many + "}}",
        {"refs.", "134217728", "altogether"});
  check_refused<StoreError>([&] { references(R"({"a": ["s3://bucket"]})"); }, {"refs.json", "address of a file"});
  for (auto const* json :
       {R"({"a": ["https://u:sEcret@h/x?sEcret", 1]})", R"({"a": ["https://u:sEcret@h/x?sEcret", 1, -1]})",
        R"({"a": ["https://u:sEcret@h/x?sEcret{{u}}", 1, 1]})", R"({"a": ["{{host}}/x?sig=sEcret"]})",
        R"({"a": ["https://u:sEcret@h/?sEcret"]})"})
    CHECK(test::error_of([&] { references(json); }).find("sEcret") == std::string::npos);
}

}  // namespace reference_tests
