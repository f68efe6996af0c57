// Whether there is a node, arrays and groups that are opened or made, and folders' names in place of stores.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

namespace exists_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;

NewArray<float> const small{.shape = {4}, .chunks = {2}, .fill = 1.5f};

// A node is missing: by its own class, and by that of documents.
template <class F>
void check_missing(F&& f) {
  CHECK_THROWS_AS(f(), NodeNotFound);
  CHECK_THROWS_AS(f(), MetadataError);
}
template <class F>
void check_broken(F&& f) {
  try {
    f();
    FAIL("nothing was thrown");
  } catch (NodeNotFound const& error) {
    FAIL(error.what());
  } catch (MetadataError const&) {
  }
}

}  // namespace

TEST_CASE("a missing node is an error of its own, and a broken document is not that") {
  Memory const store;
  create_group(store);
  check_missing([&] { open_any(store, "a"); });
  check_missing([&] { open_array<float, 1>(store, "a"); });
  check_missing([&] { open_group(store, "a"); });
  check_missing([&] { open_group(store, "a", {.format = ZarrFormat::v2}); });
  check_missing([&] { open_any(open_group(store), "a"); });
  check_missing([&] { open_group(open_group(store), "a"); });
  check_missing([&] { get_attributes(store, "a"); });
  check_missing([&] { set_attributes(store, "a", {}); });
  check_missing([&] { merge_attributes(store, "a", {}); });
  check_missing([&] { move_node(store, "a", "b"); });
  check_missing([&] { consolidate(store, "a"); });
  auto const array = create_array<float, 1>(store, "gone", small);
  erase_node(store, "gone");
  check_missing([&] { array.resize({8}); });
  check_missing([&] { array.append(std::vector<float>(2)); });
  try {
    open_any(store, "a");
  } catch (NodeNotFound const& error) {
    CHECK(error.key() == "a/zarr.json");
    CHECK(error.store() == store.name());
  }
  test::put(store, "b/zarr.json", "{}");
  test::put(store, "c/.zarray", R"({"zarr_format": 2})");
  check_broken([&] { open_any(store, "b"); });
  check_broken([&] { open_group(store, "b"); });
  check_broken([&] { open_any(store, "c"); });
}

TEST_CASE("whether there is an array or a group") {
  Memory const store;
  CHECK_FALSE(exists(store));
  create_group(store);
  create_array<float, 1>(store, "g/a", small);
  create_group(store, "v2", {}, {.format = ZarrFormat::v2});
  test::put(store, "broken/zarr.json", "{");
  for (auto const* path : {"", "g", "g/a", "v2", "broken"}) CHECK(exists(store, path));
  for (auto const* path : {"a", "g/b", "g/a/c", "v"}) CHECK_FALSE(exists(store, path));
  CHECK(exists(open_group(store, "g"), "a"));
  CHECK_FALSE(exists(open_group(store, "g"), "b"));
  consolidate(store, "g");
  auto const group = open_group(store, "g");
  REQUIRE(group.consolidated());
  CHECK(exists(group, "a"));
  CHECK_FALSE(exists(group, "later"));
  create_group(store, "g/later");
  CHECK(exists(group, "later"));
}

TEST_CASE("an array is opened, or made where there is none") {
  Memory const store;
  auto const made = open_or_create_array<float, 1>(store, "a", small);
  CHECK(made.read(all)(3) == 1.5f);
  made.append(std::vector<float>{2, 3});
  auto const opened = open_or_create_array<float, 1>(store, "a", small);
  CHECK(opened.shape() == Extents{6});
  CHECK(opened.read(all)(5) == 3);
  check_broken([&] { open_or_create_array<double, 1>(store, "a", {.shape = {4}, .chunks = {2}}); });
  check_broken([&] { open_or_create_array<float, 2>(store, "a", {.shape = {4, 4}, .chunks = {2, 2}}); });
  check_refused<MetadataError>(
      [&] { open_or_create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {2}, .overwrite = true}); },
      {"\"a/zarr.json\"", "create_array"});
  test::put(store, "broken/zarr.json", "{");
  check_broken([&] { open_or_create_array<float, 1>(store, "broken", small); });
  CHECK(test::value(store, "broken/zarr.json") == "{");
  using Listed = Codecs<codec::Transpose, codec::Bytes>;
  using Checked = Pipeline<space::Host, codec::Bytes, codec::Crc32c>;
  check_broken([&] { open_or_create_array<float, 1, Listed>(store, "unlisted", small, Checked{}); });
  CHECK_FALSE(exists(store, "unlisted"));

  auto const any = open_or_create_any(store, "b", made.metadata());
  CHECK(any.shape() == Extents{6});
  any.resize({9});
  CHECK(open_or_create_any(store, "b", made.metadata()).shape() == Extents{9});

  auto const group = open_or_create_group(store, "g", {{"n", 1}});
  CHECK(open_or_create_group(store, "g", {{"n", 2}}).attributes().get<int>("n") == 1);
  CHECK(open_or_create_group(store, "h", {}, ZarrFormat::v2).metadata().format == ZarrFormat::v2);
  CHECK(open_or_create_array<float, 1>(group, "a", small).untyped().path() == "g/a");
  CHECK(open_or_create_group(group, "k").path() == "g/k");
  check_broken([&] { open_or_create_group(store, "a"); });
}

TEST_CASE("a folder's name stands for its store") {
  test::TemporaryFolder const folder;
  auto const path = folder / "a.zarr";
  auto const file = std::filesystem::path{path};
  create_array<float, 1>(path, "a", small);
  create_group(path, "g");
  CHECK(open_array<float, 1>(path.c_str(), "a").read(all)(0) == 1.5f);
  CHECK(open_any(file, "a").type() == DataType{data_type_of<float>()});
  create_any(path, "b", open_any(path, "a").metadata());
  CHECK(exists(file, "b"));
  move_node(path, "b", "c");
  CHECK_FALSE(exists(path, "b"));
  set_attributes(path, "c", {{"n", 1}});
  merge_attributes(path, "c", {{"m", 2}});
  CHECK(get_attributes(path, "c").size() == 2);
  CHECK(erase_node(path, "c"));
  CHECK(open_or_create_array<float, 1>(path, "c", small).shape() == Extents{4});
  CHECK(open_or_create_group(path, "g").path() == "g");
  check_missing([&] { open_any(path, "none"); });
}

}  // namespace exists_tests
