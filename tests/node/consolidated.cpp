// Hierarchies with consolidated metadata, which other programs believe: tests/data/climate.zarr, as xarray 2026.9 with
// zarr-python 3.1.6 wrote it, NaN in its attributes and in their copies.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
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
  CHECK(document(store, "").contains("consolidated_metadata"));  // who only reads leaves it
}

TEST_CASE("a data set of xarray's changes like any other, and no copy stays that is not true any more (GROUP-11)") {
  auto const checked = [](std::string const& what, std::function<void(Memory const&)> const& change) {
    CAPTURE(what);
    auto const store = climate();
    change(store);
    auto left = document(climate(), "");
    std::erase_if(left, [](Member const& member) { return member.name == "consolidated_metadata"; });
    CHECK(document(store, "") == left);  // all but the copies is as it was
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
    (void)create_array<int, 1>(store, "new/a", {.shape = {2}, .chunk_shape = {2}});
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

}  // namespace consolidated_tests
