// Nodes of Zarr v2: found with few keys, read, changed, moved, erased and made, in their own documents.
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/blosc.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using test::check_refused;

namespace v2_nodes_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;
using Known = Codecs<codec::Transpose, codec::Bytes, codec::Blosc, codec::Zstd>;
using Numbers = std::vector<std::int32_t>;

// Notes the requested keys.
struct Noting {
  using buffer_type = HostBuffer;
  using Destination = tessera::Destination<space::Host>;
  Memory values;
  std::shared_ptr<std::vector<std::string>> asked = std::make_shared<std::vector<std::string>>();
  auto read(Key const& key, ByteRange range, Destination destination, test::HostQueue& on) const {
    asked->push_back(key.path);
    return values.read(key, range, destination, on);
  }
};

test::Document zarray() {
  test::Document document;
  document.set("zarr_format", "2").set("shape", "[3, 4]").set("chunks", "[2, 2]").set("dtype", "\">i4\"");
  document.set("compressor", "null").set("fill_value", "7").set("order", "\"F\"").set("filters", "null");
  return document.set("of_another", "[1]");
}

// An array of two chunks of four, in Fortran's order and big-endian.
template <class S>
void put_array(S const& store, std::string const& path) {
  test::put(store, (path / ".zarray").path, zarray().text());
  test::put(store, (path / ".zattrs").path, R"({"unit": "mm"})");
  test::put(store, (path / "0.0").path, std::string("\0\0\0\0\0\0\0\4\0\0\0\1\0\0\0\5", 16));
  test::put(store, (path / "1.1").path, std::string("\0\0\0\12\0\0\0\0\0\0\0\13\0\0\0\0", 16));
}
Numbers const elements{0, 1, 7, 7, 4, 5, 7, 7, 7, 7, 10, 11};

template <class S>
Numbers read(S const& store, std::string const& path = "a") {
  auto const array = open_array<std::int32_t, 2, Known>(store, path).read(all);
  return {array.elements().begin(), array.elements().end()};
}
template <class S>
bool has(S const& store, std::string const& key) {
  return test::value(store, key) != "(missing)";
}
template <class S>
Value document(S const& store, std::string const& key) {
  return parse_json(test::value(store, key));
}

}  // namespace

TEST_CASE("an array of Zarr v2 is opened and read (V2-25, V2-30)") {
  Memory const store;
  put_array(store, "a");
  auto const array = open_array<std::int32_t, 2, Known>(store, "a");
  CHECK(read(store) == elements);
  CHECK(array.attributes() == Members{{"unit", "mm"}});
  CHECK(get_attributes(store, "a") == Members{{"unit", "mm"}});
  CHECK(open_any<Known>(store, "a").metadata().format == ZarrFormat::v2);
  check_refused<MetadataError>([&] { open_array<float, 2, Known>(store, "a"); },
                               {"key \"a/.zarray\"", "int32", "float32"});
  check_refused<SelectionError>([&] { array.read({{0, 9}, {0, 1}}); }, {"key \"a/.zarray\""});
}

TEST_CASE("a chunk of Zarr v2 decodes to its elements, no more and no less (V2-31)") {
  Memory const store;
  put_array(store, "a");
  test::put(store, "a/1.1", "1234567");
  check_refused<CodecError>([&] { read(store); }, {"key \"a/1.1\"", "7 bytes", "16"});
}

TEST_CASE("a codec that the program does not know is named, and the document of Zarr v2") {
  Memory const store;
  test::put(store, "a/.zarray", zarray().set("compressor", R"({"id": "acme", "level": 1})").text());
  check_refused<MetadataError>([&] { open_any<Known>(store, "a"); }, {"key \"a/.zarray\"", "\"acme\""});
  std::string const longer = "a/path/that/no/short/string/holds";
  test::put(store, longer + "/.zarray", zarray().set("compressor", R"({"id": "zstd", "level": -200000})").text());
  check_refused<MetadataError>([&] { open_any<Known>(store, longer); },
                               {("key \"" + longer + "/.zarray\"").c_str(), "codec zstd", "level"});
}

TEST_CASE("no node has the name of a document") {
  Memory const store;
  for (auto* name : {".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json"}) {
    auto const path = "g/" + std::string{name};
    check_refused<MetadataError>([&] { create_group(store, path, {}, {.format = ZarrFormat::v2}); },
                                 {"not a node's name", name});
    CHECK_FALSE(has(store, "g/.zgroup"));
  }
}

TEST_CASE("what is at a path is found with at most two keys, and of v3 with one") {
  Noting const store;
  put_array(store.values, "a");
  test::put(store.values, "g/.zgroup", R"({"zarr_format": 2})");
  create_array<std::int32_t, 2>(store.values, "v3", {.shape = {3, 4}, .chunks = {2, 2}});
  auto const asked = [&](auto&& open) {
    store.asked->clear();
    open();
    return *store.asked;
  };
  using Keys = std::vector<std::string>;
  CHECK(asked([&] { open_any<Known>(store, "v3"); }) == Keys{"v3/zarr.json"});
  CHECK(asked([&] { open_any<Known>(store, "a"); }) == Keys{"a/zarr.json", "a/.zarray", "a/.zattrs"});
  CHECK(asked([&] { open_group(store, "g"); }) == Keys{"g/zarr.json", "g/.zmetadata", "g/.zgroup", "g/.zattrs"});
  CHECK(asked([&] { open_group(store, "g", {.consolidated = Consolidated::ignore}); }) ==
        Keys{"g/zarr.json", "g/.zgroup", "g/.zattrs"});
}

TEST_CASE("of a group whose format is known no key of the other is asked for (V2-36)") {
  Noting const store;
  create_group(store.values, "both", {{"is", "v3"}});
  test::put(store.values, "both/.zgroup", R"({"zarr_format": 2})");
  test::put(store.values, "both/.zattrs", R"({"is": "v2"})");
  auto const opened = [&](std::string const& path, OpenOptions options) {
    store.asked->clear();
    return open_group(store, path, options).attributes().at("is").as<std::string>();
  };
  using Keys = std::vector<std::string>;
  CHECK(opened("both", {}) == "v3");
  CHECK(opened("both", {.format = ZarrFormat::v3}) == "v3");
  CHECK(*store.asked == Keys{"both/zarr.json"});
  CHECK(opened("both", {.format = ZarrFormat::v2}) == "v2");
  CHECK(*store.asked == Keys{"both/.zmetadata", "both/.zgroup", "both/.zattrs"});
  create_group(store.values, "new");
  create_group(store.values, "old", {}, {.format = ZarrFormat::v2});
  check_refused<NodeNotFound>([&] { open_group(store, "new", {.format = ZarrFormat::v2}); },
                               {"key \"new/.zgroup\"", "no group"});
  check_refused<NodeNotFound>([&] { open_group(store, "old", {.format = ZarrFormat::v3}); },
                               {"key \"old/zarr.json\"", "no group: found .zgroup of Zarr v2"});
}

TEST_CASE("a node of both formats is one of v3 (META-32)") {
  Memory const store;
  put_array(store, "a");
  create_array<float, 1>(store, "b", {.shape = {3}, .chunks = {2}});
  test::put(store, "a/zarr.json", test::value(store, "b/zarr.json"));
  CHECK(open_any(store, "a").type() == data_type_of<float>());
}

TEST_CASE("members of a group of either format are listed (V2-33)") {
  Memory const store;
  test::put(store, ".zgroup", R"({"zarr_format": 2})");
  test::put(store, ".zattrs", R"({"a": 1})");
  put_array(store, "b");
  test::put(store, "g/.zgroup", R"({"zarr_format": 2})");
  create_array<float, 1>(store, "g/x", {.shape = {3}, .chunks = {2}});
  auto const group = open_group(store);
  CHECK(group.metadata().format == ZarrFormat::v2);
  CHECK(group.attributes() == Members{{"a", 1}});
  std::vector<std::string> found;
  group.walk(
      [&](Node const& node) { found.push_back(node.path + (node.type == NodeType::array ? " array" : " group")); });
  CHECK(found == std::vector<std::string>{"b array", "g group", "g/x array"});
  REQUIRE(group.arrays<Known>().size() == 1);
  CHECK(group.arrays<Known>()[0].array.shape() == Extents{3, 4});
  CHECK(group.groups().size() == 1);
  check_refused<NodeNotFound>([&] { open_group(store, "b"); }, {"no group", "found .zarray of Zarr v2"});
  check_refused<NodeNotFound>([&] { open_any(store, "g"); }, {"no array", "found .zgroup of Zarr v2"});
}

TEST_CASE("elements are written as the document of Zarr v2 says") {
  Memory const store;
  put_array(store, "a");
  auto const array = open_array<std::int32_t, 2, Known>(store, "a");
  array.write({{1, 3}, {1, 3}}, Numbers{20, 21, 22, 23});
  CHECK(read(store) == Numbers{0, 1, 7, 7, 4, 20, 21, 7, 7, 22, 23, 11});
  CHECK(test::value(store, "a/0.0") == std::string("\0\0\0\0\0\0\0\4\0\0\0\1\0\0\0\24", 16));
  CHECK_FALSE(has(store, "a/zarr.json"));
}

TEST_CASE("the shape changes in .zarray, where all else stays") {
  auto const check = [](auto const& store) {
    put_array(store, "a");
    auto const array = open_array<std::int32_t, 2, Known>(store, "a");
    array.resize({5, 3});
    CHECK(document(store, "a/.zarray") == parse_json(zarray().set("shape", "[5, 3]").text()));
    CHECK(read(store) == Numbers{0, 1, 7, 4, 5, 7, 7, 7, 10, 7, 7, 7, 7, 7, 7});
    CHECK(test::value(store, "a/.zattrs") == R"({"unit": "mm"})");
    array.append(Numbers{31, 32, 33});
    CHECK(read(store) == Numbers{0, 1, 7, 4, 5, 7, 7, 7, 10, 7, 7, 7, 7, 7, 7, 31, 32, 33});
    array.write({{5, 6}, {0, 1}}, Numbers{40});  // a chunk at the border, with the shape in the document
    CHECK(read(store)[15] == 40);
    CHECK_FALSE(has(store, "a/zarr.json"));
  };
  check(Memory{});
  test::TemporaryFolder const folder;
  check(Local{folder.path().string()});
}

TEST_CASE("attributes change in .zattrs, and copies of them go (V2-36)") {
  auto const check = [](auto const& store) {
    test::put(store, ".zgroup", R"({"zarr_format": 2})");
    test::put(store, ".zmetadata", "{}");
    put_array(store, "a");
    CHECK(consolidated_above(store, "a") == std::vector<std::string>{""});
    set_attributes(store, "a", {{"b", 1}});
    CHECK(document(store, "a/.zattrs") == Value{Members{{"b", 1}}});
    CHECK(document(store, "a/.zarray") == parse_json(zarray().text()));
    CHECK_FALSE(has(store, ".zmetadata"));
    CHECK(merge_attributes(store, "a", {{"c", 2}}) == Members{{"b", 1}, {"c", 2}});
    test::put(store, ".zmetadata", "{}");
    auto group = open_group(store);
    group.set_attributes({{"d", 3}});  // there were none
    CHECK(document(store, ".zattrs") == Value{Members{{"d", 3}}});
    CHECK(document(store, ".zgroup") == parse_json(R"({"zarr_format": 2})"));
    CHECK_FALSE(has(store, ".zmetadata"));
    CHECK_FALSE(has(store, "zarr.json"));
  };
  check(Memory{});
  test::TemporaryFolder const folder;
  check(Local{folder.path().string()});
}

TEST_CASE("nodes of Zarr v2 are moved and erased") {
  auto const check = [](auto const& store) {
    put_array(store, "a");
    move_node(store, "a", "g/b");
    CHECK_FALSE(has(store, "a/.zarray"));
    CHECK(read(store, "g/b") == elements);
    CHECK(document(store, "g/.zgroup") == parse_json(R"({"zarr_format": 2})"));
    check_refused<MetadataError>([&] { move_node(store, "g/b", "g"); }, {"there is a node"});
    CHECK(erase_node(store, "g/b"));
    CHECK_FALSE(erase_node(store, "g/b"));
    for (auto* key : {"g/b/.zarray", "g/b/.zattrs", "g/b/0.0", "g/b/1.1"}) CHECK_FALSE(has(store, key));
    CHECK(open_group(store, "g").children().empty());
    test::put(store, "g/.zmetadata", "{}");
    move_node(store, "g", "h");
    CHECK(has(store, "h/.zmetadata"));
    CHECK_FALSE(has(store, "g/.zmetadata"));
  };
  check(Memory{});
  Memory const documents;
  check(SplitStore{documents, documents});
  test::TemporaryFolder const folder;
  check(Local{folder.path().string()});
}

TEST_CASE("arrays and groups of Zarr v2 are made (V2-34)") {
  Memory const store;
  Numbers numbers(12);
  std::iota(numbers.begin(), numbers.end(), 1);
  auto const array = create_array<std::int32_t, 2>(store, "g/a",
                                                   {.shape = {3, 4},
                                                    .chunks = {2, 2},
                                                    .fill = -1,
                                                    .attributes = {{"u", 1}},
                                                    .dimension_names = {"y", "x"},
                                                    .format = ZarrFormat::v2},
                                                   Pipeline<space::Host, codec::Bytes, codec::Zstd>{});
  array.write(all, numbers);
  CHECK(read(store, "g/a") == numbers);
  for (auto* key : {".zgroup", ".zgroup", "g/.zgroup", "g/a/.zarray", "g/a/.zattrs", "g/a/0.0", "g/a/1.1"})
    CHECK(has(store, key));
  for (auto* key : {"zarr.json", "g/zarr.json", "g/a/zarr.json"}) CHECK_FALSE(has(store, key));
  CHECK(document(store, "g/a/.zattrs") == parse_json(R"({"u": 1, "_ARRAY_DIMENSIONS": ["y", "x"]})"));
  CHECK(open_any<Known>(store, "g/a").dimension_names() == DimensionNames{"y", "x"});
  auto const again = [&](bool overwrite) {
    create_array<float, 1>(store, "g/a", {.shape = {3}, .chunks = {2}, .overwrite = overwrite});
  };
  check_refused<MetadataError>([&] { again(false); }, {"there is a node already"});
  again(true);
  CHECK(open_any(store, "g/a").metadata().format == ZarrFormat::v3);
  CHECK_FALSE(has(store, "g/a/.zarray"));
  auto const group = create_group(store, "h", {{"b", 2}}, {.format = ZarrFormat::v2});
  CHECK(group.metadata().format == ZarrFormat::v2);
  CHECK(document(store, "h/.zattrs") == Value{Members{{"b", 2}}});
  CHECK(open_group(store, "h").attributes() == Members{{"b", 2}});
  check_refused<MetadataError>([&] { create_group(store, "h"); }, {"there is a node already"});
}

TEST_CASE("what Zarr v2 has no words for is not made in it") {
  Memory const store;
  using Inner = Pipeline<space::Host, codec::Bytes>;
  auto const make = [&] {
    create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {4}, .format = ZarrFormat::v2},
                           Pipeline<space::Host, codec::Sharding<Inner>>{codec::Sharding<Inner>{{2}}});
  };
  check_refused<MetadataError>(make, {"key \"a/.zarray\"", "Zarr v2 has no codec \"sharding_indexed\""});
  CHECK_FALSE(has(store, ".zgroup"));
}

}  // namespace v2_nodes_tests
