// The arrays and groups one level below a group, opened; and folder names in place of a store.
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace group_members {
namespace {

using Memory = MemoryStore<HostBuffer>;

// How often each key was read.
struct CountedReads : WrapperStore<Memory> {
  using WrapperStore::WrapperStore;
  std::shared_ptr<std::map<std::string, int>> reads = std::make_shared<std::map<std::string, int>>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    ++(*reads)[key.path];
    return source().read(key, range, destination, on);
  }
};

template <class S>
void make(S const& store, std::string const& path, int value) {
  create_array<int, 1>(store, path, {.shape = {2}, .chunks = {2}}).fill(all, value);
}

CountedReads filled() {
  CountedReads const store{Memory{}};
  make(store, "g/b", 2);
  make(store, "g/a", 1);
  create_array<float, 2>(store, "g/c", {.shape = {2, 3}, .chunks = {2, 2}, .dimension_names = {"y", "x"}});
  make(store, "g/sub/deep", 3);
  create_group(store, "g/empty", {{"n", 1}});
  store.source().write({"g/__data/zarr.json"}, {}, *std::make_unique<Queue<space::Host>>());
  store.source().write({"g/none/other"}, {}, *std::make_unique<Queue<space::Host>>());
  store.reads->clear();
  return store;
}

}  // namespace

TEST_CASE("the arrays of a group with their names, each document read once") {
  auto const store = filled();
  auto const group = open_group(store, "g");
  store.reads->clear();
  std::string shown;
  for (auto const& [name, array] : group.arrays()) shown += name + to_string(array.shape()) + array.type().name() + ' ';
  CHECK(shown == "a[2]int32 b[2]int32 c[2, 3]float32 ");
  CHECK(*store.reads == std::map<std::string, int>{{"g/a/zarr.json", 1},
                                                   {"g/b/zarr.json", 1},
                                                   {"g/c/zarr.json", 1},
                                                   {"g/empty/zarr.json", 1},
                                                   {"g/none/zarr.json", 1},
                                                   {"g/none/.zarray", 1},  // no document of v3 exists
                                                   {"g/sub/zarr.json", 1}});
  auto const arrays = group.arrays();
  CHECK(arrays[1].array.as<int, 1>().read(all)(1) == 2);
  CHECK(arrays[1].array.path() == "g/b");
  CHECK(open_group(store).arrays().empty());
}

TEST_CASE("they work on the queue that is given") {
  Queue<space::Host> const on{3};
  for (auto const& [name, array] : open_group(filled(), "g").arrays(on)) CHECK(array.queue().threads() == 3);
}

TEST_CASE("the groups of a group with their names, each document read once") {
  auto const store = filled();
  auto const group = open_group(store, "g");
  store.reads->clear();
  auto const groups = group.groups();
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "empty");
  CHECK(groups[0].group.attributes().get<int>("n") == 1);
  CHECK((*store.reads)["g/empty/zarr.json"] == 1);
  std::string names;
  for (auto const& [name, below] : groups)
    for (auto const& node : below.arrays()) names += name + '/' + node.name;
  CHECK(names == "sub/deep");
}

TEST_CASE("an array that cannot be opened, and a document that is damaged, are named") {
  auto const store = filled();
  Queue<space::Host> on;
  store.write({"g/z/zarr.json"}, {}, on);
  test::check_refused<MetadataError>([&] { (void)open_group(store, "g").arrays(); }, {"\"g/z/zarr.json\"", "not JSON"});
  CHECK_THROWS_AS((void)open_group(store, "g").groups(), MetadataError);
  Memory const other;
  Pipeline<space::Host, codec::Bytes, codec::Crc32c> const encoded;
  create_array<int, 1>(other, "a", {.shape = {2}, .chunks = {2}}, encoded).fill(all, 1);
  test::check_refused<MetadataError>(
      [&] { (void)open_group(other).arrays<Codecs<codec::Bytes>>(); },
      {"\"a/zarr.json\"", "\"crc32c\" is not among"});
}

TEST_CASE("a folder's name where a group's store is asked for") {
  test::TemporaryFolder const folder;
  auto const made = create_group(folder / "a.zarr", "", {{"n", 7}});
  static_assert(std::is_same_v<decltype(made), Group<LocalStore<HostBuffer>> const>);
  make(made, "x", 1);
  CHECK(open_group((folder / "a.zarr").c_str()).attributes().get<int>("n") == 7);
  CHECK(open_group(folder.path() / "a.zarr").arrays().size() == 1);
  create_group(folder / "a.zarr", "", {}, {.overwrite = true});
  CHECK(open_group(folder / "a.zarr", "").arrays().empty());
  CHECK(create_group(folder / "c.zarr").path() == "");
  test::check_refused<NodeNotFound>([&] { open_group(folder / "d.zarr"); }, {"d.zarr", "there is no group"});
  test::check_refused<StoreError>([&] { open_group("s3://bucket/a"); }, {"s3"});
}

}  // namespace group_members
