// Hierarchies with consolidated metadata, which other programs trust: tests/data/climate.zarr, as xarray 2026.9 with
// zarr-python 3.1.6 wrote it, NaN in its attributes and in their copies.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

namespace consolidated_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;

Memory climate(std::string const& below = "") {
  namespace fs = std::filesystem;
  Memory const store;
  fs::path const root = "tests/data/climate.zarr";
  for (auto const& entry : fs::recursive_directory_iterator{root}) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file{entry.path(), std::ios::binary};
    auto const key = below + entry.path().lexically_relative(root).generic_string();
    test::put(store, key, std::string{std::istreambuf_iterator<char>{file}, {}});
  }
  return store;
}

Members document(Memory const& store, std::string const& path) {
  return parse_json(test::value(store, document_key(path).path)).as<Members>();
}

using Strings = std::vector<std::string>;

// The keys read, in turn; listings are noted too.
struct Noting : WrapperStore<Memory> {
  using WrapperStore::WrapperStore;
  std::shared_ptr<Strings> asked = std::make_shared<Strings>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    asked->push_back(key.path);
    return source().read(key, range, destination, on);
  }
  void list_directory(std::string_view path, Visitor visit) const {
    asked->push_back("list " + std::string{path});
    source().list_directory(path, visit);
  }
};

// It erases that many keys, and then fails.
struct Ending : WrapperStore<Memory> {
  using WrapperStore::WrapperStore;
  std::shared_ptr<std::size_t> left = std::make_shared<std::size_t>();

  bool erase(Key const& key, Queue<space::Host>& on) const {
    if (*left == 0) throw StoreError{"no key is erased any more"};
    --*left;
    return source().erase(key, on);
  }
};

void put_v2(Memory const& store) {
  create_group(store, "", {{"title", "old"}}, {.format = ZarrFormat::v2});
  create_array<int, 1>(store, "g/a",
                       {.shape = {2}, .chunks = {2}, .attributes = {{"unit", "mm"}}, .format = ZarrFormat::v2})
      .fill(all, 4);
  create_array<int, 1>(store, "b", {.shape = {3}, .chunks = {2}, .format = ZarrFormat::v2});
}

std::string problems(Memory const& store, std::string const& path = "") {
  std::string text;
  for (auto const& [where, problem] : stale_copies(store, path)) text += where + ": " + problem + '\n';
  return text;
}

}  // namespace

TEST_CASE("a data set of xarray's is opened and read, NaN in its attributes and in the copies of them (META-04, GROUP-07)") {
  auto const store = climate();
  auto const group = open_group(store);
  CHECK(std::isnan(group.attributes().at("scale").as<double>()));
  CHECK(group.attributes().at("history").as<std::string>() == "made");
  CHECK(group.metadata().has_consolidated);
  CHECK(group.children().size() == 3);
  auto const t2m = open_array<float, 2>(store, "t2m");
  CHECK(std::isnan(t2m.attributes().at("missing_value").as<float>()));
  CHECK(t2m.attributes().at("valid_range").as<std::vector<double>>() == std::vector<double>{-INFINITY, INFINITY});
  CHECK(t2m.read(all)(0, 2) == 273.0f);
  CHECK(consolidated_above(store, "t2m") == Strings{""});
  CHECK(consolidated_above(store, "").empty());
  CHECK(document(store, "").contains("consolidated_metadata"));  // a read leaves it
}

TEST_CASE("a data set of xarray's changes like any other, and no copy stays that is not true any more (GROUP-11)") {
  auto const checked = [](std::string const& what, std::function<void(Memory const&)> const& change) {
    CAPTURE(what);
    auto const store = climate();
    change(store);
    auto left = document(climate(), "");
    std::erase_if(left, [](Member const& member) { return member.name == "consolidated_metadata"; });
    CHECK(document(store, "") == left);  // all except the copies is unchanged
    CHECK(consolidated_above(store, "t2m").empty());
    CHECK_FALSE(open_group(store).metadata().has_consolidated);
  };
  checked("append", [](Memory const& store) {
    open_array<std::int64_t, 1>(store, "time").append(std::vector<std::int64_t>{12});
    CHECK(open_array<std::int64_t, 1>(store, "time").read(all)(2) == 12);
  });
  checked("resize", [](Memory const& store) {
    open_array<float, 2>(store, "t2m").resize({1, 3});
    CHECK(open_array<float, 2>(store, "t2m").read(all)(0, 0) == 271.5f);
    CHECK(std::isnan(open_array<float, 2>(store, "t2m").attributes().at("missing_value").as<float>()));
  });
  checked("create_array", [](Memory const& store) {
    (void)create_array<int, 1>(store, "new/a", {.shape = {2}, .chunks = {2}});
    CHECK(open_group(store, "new").children().size() == 1);
  });
  checked("create_group", [](Memory const& store) { (void)create_group(store, "new", {{"scale", std::nan("")}}); });
  checked("set_attributes", [](Memory const& store) { set_attributes(store, "y", {{"valid_max", INFINITY}}); });
  checked("merge_attributes", [](Memory const& store) {
    CHECK(merge_attributes(store, "t2m", {{"units", "C"}}).size() == 4);
    CHECK(std::isnan(get_attributes(store, "t2m").at("missing_value").as<double>()));
  });
  checked("move_node", [](Memory const& store) { move_node(store, "t2m", "fields/t2m"); });
  checked("erase_node", [](Memory const& store) { CHECK(erase_node(store, "y")); });
}

TEST_CASE("what a group keeps of itself is no copy: its own attributes change, and its consolidated metadata stays") {
  auto const store = climate();
  merge_attributes(store, "", {{"history", "changed"}});
  CHECK(open_group(store).attributes().at("history").as<std::string>() == "changed");
  CHECK(std::isnan(open_group(store).attributes().at("scale").as<double>()));
  CHECK(document(store, "").at("consolidated_metadata") == document(climate(), "").at("consolidated_metadata"));
}

TEST_CASE("all groups above lose what is not true any more; a group that is moved keeps what is true of it (GROUP-11)") {
  auto const store = climate("a/b/");
  create_group(store, "other");
  CHECK(consolidated_above(store, "a/b/y") == Strings{"a/b"});
  move_node(store, "a/b", "c/d");
  CHECK(consolidated_above(store, "c/d/y") == Strings{"c/d"});
  CHECK(document(store, "c/d") == document(climate(), ""));
  erase_node(store, "c/d/y");
  CHECK(consolidated_above(store, "c/d/t2m").empty());
}

TEST_CASE("a group with consolidated metadata and all below it are opened with one request (GROUP-07, GROUP-08)") {
  Noting const store{climate("a/")};
  auto const group = open_group(store, "a");
  CHECK(*store.asked == Strings{"a/zarr.json"});
  CHECK(group.children().size() == 3);
  CHECK(group.arrays().size() == 3);
  CHECK(group.groups().empty());
  CHECK(open_any(group, "y").shape() == Extents{3});
  CHECK(open_array<float, 2>(group, "t2m").attributes().at("units") == Value{"K"});
  int walked = 0;
  group.walk([&](Node const&) { ++walked; });
  CHECK(walked == 3);
  CHECK(*store.asked == Strings{"a/zarr.json"});
  CHECK(open_array<float, 2>(group, "t2m").read(all)(0, 2) == 273.0f);
}

TEST_CASE("so are those of Zarr v2, after zarr.json where the format is not told (V2-36, V2-37)") {
  Noting const store{Memory{}};
  put_v2(store.source());
  consolidate(store.source());
  auto copies = parse_json(test::value(store.source(), ".zmetadata"));
  copies["metadata"]["g/.zgroup"]["consolidated_metadata"] = Members{{"metadata", Members{}}};  // as in zarr-python
  test::put(store.source(), ".zmetadata", to_json(copies));
  CHECK(problems(store.source()).empty());
  (void)open_group(store);
  CHECK(*store.asked == Strings{"zarr.json", ".zmetadata"});
  store.asked->clear();
  auto const group = open_group(store, "", {.format = ZarrFormat::v2});
  CHECK(*store.asked == Strings{".zmetadata"});
  CHECK(group.metadata().has_consolidated);
  CHECK(group.attributes() == Members{{"title", "old"}});
  auto const below = open_group(group, "g");
  CHECK(below.children().size() == 1);
  auto const a = open_array<int, 1>(below, "a");
  CHECK(a.attributes() == Members{{"unit", "mm"}});
  REQUIRE(group.groups().size() == 1);
  CHECK(group.groups()[0].group.arrays()[0].array.metadata().format == ZarrFormat::v2);
  CHECK(store.asked->size() == 1);
  CHECK(a.read(all)(1) == 4);
  copies["metadata"] = Members{{"b/.zarray", copies.at("metadata").at("b/.zarray")}};  // none of the group itself
  test::put(store.source(), ".zmetadata", to_json(copies));
  store.asked->clear();
  CHECK(open_group(store).attributes() == Members{{"title", "old"}});
  CHECK(*store.asked == Strings{"zarr.json", ".zmetadata", ".zgroup", ".zattrs"});
  auto other = parse_json(test::value(store.source(), ".zmetadata"));
  other["zarr_consolidated_format"] = Value::integer(2);
  test::put(store.source(), ".zmetadata", to_json(other));
  CHECK_FALSE(open_group(store).metadata().has_consolidated);
  CHECK(open_group(store).attributes() == Members{{"title", "old"}});
  CHECK(problems(store.source()).starts_with(".zmetadata: the consolidated metadata is of an unknown kind"));
}

TEST_CASE("a group of Zarr v2 whose erasing was cut off is whole, or not there: copies do not open it (V2-36)") {
  bool is_cut_off = true;
  for (std::size_t n = 0; is_cut_off; ++n) {
    CAPTURE(n);
    Memory const memory;
    put_v2(memory);
    consolidate(memory, "g");
    consolidate(memory);
    Ending const store{memory};
    *store.left = n;
    try {
      erase_node(store, "");
      is_cut_off = false;
    } catch (StoreError const&) {
    }
    for (auto const* path : {"", "g"}) try {
        auto const group = open_group(memory, path);
        Queue<space::Host> on;
        CHECK(value_size(memory, document_key(path, ZarrFormat::v2, NodeType::group), on));
        CHECK(open_array<int, 1>(group, *path ? "a" : "g/a").read(all)(1) == 4);
        CHECK(is_cut_off);
      } catch (MetadataError const&) {
        CHECK(n > 0);
      }
  }
}

TEST_CASE(
    "what is done with copies is the program's choice, and nodes that they lack are looked for (GROUP-09, GROUP-11)") {
  auto const store = climate();
  auto changed = parse_json(test::value(store, "y/zarr.json"));
  changed["shape"] = List{Value::integer(1)};
  test::put(store, "y/zarr.json", to_json(changed));  // without updating the copies
  auto const shape = [&](Consolidated consolidated) {
    return open_any(open_group(store, "", {.consolidated = consolidated}), "y").shape();
  };
  CHECK(shape(Consolidated::use) == Extents{3});
  CHECK(shape(Consolidated::require) == Extents{3});
  CHECK(shape(Consolidated::ignore) == Extents{1});
  auto const group = open_group(store);
  create_array<int, 1>(group, "new/a", {.shape = {2}, .chunks = {2}});
  CHECK(open_array<int, 1>(group, "new/a").shape() == Extents{2});
  CHECK(open_group(group, "new").children().size() == 1);
  check_refused<NodeNotFound>([&] { open_any(group, "none"); }, {"key \"none/zarr.json\"", "no array"});
  check_refused<MetadataError>([&] { open_group(store, "", {.consolidated = Consolidated::require}); },
                               {"no consolidated metadata", "consolidate(store, path)"});
  for (auto const* copies : {"null", R"({"kind": "inline", "must_understand": false, "metadata": {}})",
                             R"({"kind": "other", "must_understand": false, "metadata": {"y": {}}})",
                             R"({"kind": "inline", "must_understand": false, "metadata": []})"}) {
    CAPTURE(copies);
    auto const other = climate();
    auto own = parse_json(test::value(other, "zarr.json"));
    own["consolidated_metadata"] = parse_json(copies);
    test::put(other, "zarr.json", to_json(own));
    CHECK(open_group(other).children().size() == 3);
  }
}

TEST_CASE("paths of copies may begin with a '/', in any order; an error names the copy (GROUP-08, GROUP-10)") {
  Memory const store;
  create_array<int, 1>(store, "g/a", {.shape = {2}, .chunks = {2}});
  auto own = document(store, "");
  own["consolidated_metadata"] =
      Members{{"kind", "inline"},
              {"must_understand", false},
              {"metadata", Members{{"/g/a", document(store, "g/a")},
                                   {"/g", Members{{"zarr_format", Value::integer(3)},
                                                  {"node_type", "group"},
                                                  {"consolidated_metadata", Members{{"metadata", Members{}}}}}},
                                   {"wrong", Members{{"zarr_format", Value::integer(3)}, {"node_type", "array"}}}}}};
  test::put(store, "zarr.json", to_json(own));
  auto const group = open_group(store);
  CHECK(open_group(group, "g").children().size() == 1);
  CHECK(open_array<int, 1>(group, "g/a").shape() == Extents{2});
  check_refused<MetadataError>([&] { open_any(group, "wrong"); },
                               {"consolidated in zarr.json", "key \"wrong/zarr.json\"", "member shape is missing"});
}

TEST_CASE("paths of copies of Zarr v2 may begin with a '/'; copies at paths that are no keys are left out (GROUP-08)") {
  Memory store;
  put_v2(store);
  consolidate(store);
  auto v2 = parse_json(test::value(store, ".zmetadata"));
  Members moved;
  for (auto const& [name, value] : v2.at("metadata").as<Members>()) moved["/" + name] = value;
  for (auto const* const no_key : {"./.zgroup", "g/../.zgroup", "g//.zgroup"})
    moved[no_key] = moved.at("/g/.zgroup");
  v2["metadata"] = moved;
  test::put(store, ".zmetadata", to_json(v2));
  auto const old = open_group(store, "", {.format = ZarrFormat::v2});
  CHECK(old.children().size() == 2);
  CHECK(open_group(old, "g").children().size() == 1);

  create_array<int, 1>(store, "new/a", {.shape = {2}, .chunks = {2}});
  auto own = document(store, "new");
  auto const a = document(store, "new/a");
  own["consolidated_metadata"] =
      Members{{"kind", "inline"}, {"must_understand", false}, {"metadata", Members{{"a", a}, {".", a}, {"b//c", a}}}};
  test::put(store, "new/zarr.json", to_json(own));
  CHECK(open_group(store, "new").children().size() == 1);
}

TEST_CASE("consolidate writes what zarr-python writes (GROUP-12)") {
  auto const store = climate();
  merge_attributes(store, "y", {{"units", "degrees_north"}});  // the copies are removed
  CHECK_FALSE(open_group(store).metadata().has_consolidated);
  consolidate(store);
  CHECK(problems(store).empty());
  CHECK(document(store, "").at("consolidated_metadata").at("metadata").at("t2m") ==
        document(climate(), "").at("consolidated_metadata").at("metadata").at("t2m"));
  CHECK(open_group(store).metadata().has_consolidated);
  create_group(store, "B");
  create_array<int, 1>(store, "a/z", {.shape = {2}, .chunks = {2}});
  consolidate(store, "a");
  consolidate(store);
  Strings names;
  auto const own = document(store, "");
  for (auto const& copy : *own.at("consolidated_metadata").at("metadata").get_if<Members>()) names.push_back(copy.name);
  CHECK(names == Strings{"a", "B", "t2m", "time", "y", "a/z"});
  CHECK_FALSE(
      own.at("consolidated_metadata").at("metadata").at("a").get_if<Members>()->contains("consolidated_metadata"));
  CHECK(document(store, "a").contains("consolidated_metadata"));
  CHECK(problems(store).empty());
  consolidate(store, "a");  // the group's own metadata makes no copy of it wrong
  CHECK(problems(store).empty());
  check_refused<NodeNotFound>([&] { consolidate(store, "none"); }, {"key \"none/zarr.json\"", "no group"});
  create_array<int, 1>(store, "old", {.shape = {2}, .chunks = {2}, .format = ZarrFormat::v2});
  check_refused<MetadataError>([&] { consolidate(store); }, {"key \"old/zarr.json\"", "of the other format"});
}

TEST_CASE("copies that are not true are found (GROUP-11)") {
  auto const store = climate();
  CHECK(problems(store).empty());
  auto changed = parse_json(test::value(store, "y/zarr.json"));
  auto members = changed.as<Members>();
  std::reverse(members.begin(), members.end());
  std::erase_if(members, [](Member const& member) { return member.name == "storage_transformers"; });
  test::put(store, "y/zarr.json", to_json(members));  // as another program might write it
  CHECK(problems(store).empty());
  changed["attributes"]["units"] = "m";
  test::put(store, "y/zarr.json", to_json(changed));
  test::put(store, "new/zarr.json", R"({"zarr_format": 3, "node_type": "group"})");
  Queue<space::Host> on;
  store.erase({"time/zarr.json"}, on);
  CHECK(problems(store) ==
        "zarr.json: there is a copy of \"time/zarr.json\", which does not exist\n"
        "zarr.json: the copy of \"y/zarr.json\" differs from that document\n"
        "zarr.json: there is no copy of \"new/zarr.json\"\n");
  Memory const old;
  put_v2(old);
  test::put(old, "b/.zattrs", "{}");
  old.erase({"g/.zattrs"}, on);
  consolidate(old);
  old.erase({"b/.zattrs"}, on);  // no attributes, as in the copy
  test::put(old, "g/.zattrs", "{}");
  CHECK(problems(old).empty());
  test::put(old, "g/a/.zattrs", R"({"unit": "m"})");
  CHECK(problems(old) == ".zmetadata: the copy of \"g/a/.zattrs\" differs from that document\n");
}

TEST_CASE("a change in the one format takes the copies of that format out of groups of both (GROUP-11, V2-36)") {
  auto const both = [] {
    Memory const store;
    put_v2(store);
    consolidate(store);
    test::put(store, "zarr.json", test::value(climate(), "zarr.json"));
    return store;
  };
  auto const has_v2_copies = [](Memory const& store) {
    Queue<space::Host> on;
    return value_size(store, {".zmetadata"}, on).has_value();
  };
  CHECK(consolidated_above(both(), "b") == Strings{""});
  auto const checked = [&](std::string const& what, std::function<void(Memory const&)> const& change) {
    CAPTURE(what);
    auto const store = both();
    change(store);
    CHECK_FALSE(has_v2_copies(store));
    CHECK(consolidated_above(store, "b").empty());
  };
  checked("attributes", [](Memory const& store) { set_attributes(store, "b", {{"c", 1}}); });
  checked("resize", [](Memory const& store) { open_array<int, 1>(store, "b").resize({2}); });
  checked("create_array", [](Memory const& store) {
    create_array<int, 1>(store, "d", {.shape = {2}, .chunks = {2}, .format = ZarrFormat::v2});
  });
  checked("move_node", [](Memory const& store) { move_node(store, "b", "d"); });
  checked("erase_node", [](Memory const& store) { erase_node(store, "b"); });
}

}  // namespace consolidated_tests
