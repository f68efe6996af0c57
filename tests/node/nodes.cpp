// Arrays and groups are erased and moved with everything below them; attributes change without them.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/failing_calls.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/nodes.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

using namespace tessera;
using test::check_refused;

namespace nodes_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;
using Strings = std::vector<std::string>;

std::vector<std::uint8_t> const four{1, 2, 3, 4};

template <class S>
void make(S const& store, std::string const& path) {
  create_array<std::uint8_t, 1>(store, path, {.shape = {4}, .chunks = {2}}).write(all, four);
}
/// g with two arrays and a group with one; and a neighbour whose name begins as g's does.
template <class S>
void make_tree(S const& store) {
  create_group(store, "g", {{"units", "mm"}});
  for (auto* path : {"g/a", "g/b", "g/h/a", "gg"}) make(store, path);
}

template <class S>
Strings walked(S const& store) {
  Strings paths;
  open_group(store).walk([&](Node const& node) { paths.push_back(node.path); });
  return paths;
}

// Every array that opens has its four elements.
template <class S>
bool all_whole(S const& store, Strings const& paths) {
  for (auto const& path : paths) {
    if (test::value(metadata_of(store), path + "/zarr.json") == "(missing)") continue;
    auto const read = open_array<std::uint8_t, 1>(store, path).read(all);
    if (!std::equal(four.begin(), four.end(), read.elements().begin())) return false;
  }
  return true;
}

template <class F>
void with_stores(F&& f) {
  test::TemporaryFolder const folder;
  f(Memory{});
  f(LocalStore<HostBuffer>{folder / "local"});
  f(LocalStore<HostBuffer>{folder / "sync", {.fsync = true}});
  f(PrefixStore{LocalStore<HostBuffer>{folder / "prefix"}, "below"});
  f(AnyStore<HostBuffer>{Memory{}});
  f(SplitStore{Memory{}, Memory{}});
  f(SplitStore{LocalStore<HostBuffer>{folder / "split"}, LocalStore<HostBuffer>{folder / "split"}});
}

}  // namespace

TEST_CASE("a node is erased with all that is below it, and its neighbours stay") {
  with_stores([](auto const& store) {
    make_tree(store);
    CHECK(erase_node(store, "g/h"));
    CHECK((walked(store) == Strings{"g", "g/a", "g/b", "gg"}));
    CHECK_FALSE(erase_node(store, "g/h"));
    CHECK_FALSE(erase_node(store, "nothing/here"));
    CHECK(erase_node(store, "g"));
    CHECK(walked(store) == Strings{"gg"});
    CHECK(test::listed(chunks_of(store), "g").empty());
    CHECK(erase_node(store, ""));
    CHECK(test::listed(store, "").empty());
  });
}

TEST_CASE("a node that is damaged, or of which chunks are left, is erased too; what is no node's root is not") {
  Memory const store;
  make_tree(store);
  test::put(store, "g/a/zarr.json", "{");
  CHECK(erase_node(store, "g/a"));
  test::put(store, "g/a/c/0", "a chunk");
  CHECK_FALSE(erase_node(store, "g/a"));
  CHECK(test::listed(store, "g/a").empty());
  test::put(store, "x/photo", "a user's");
  test::erase(store, "zarr.json");
  check_refused<StoreError>([&] { erase_node(store, ""); }, {"no node", "found keys"});
  CHECK(test::value(store, "x/photo") == "a user's");
}

TEST_CASE("a node is moved with all that is below it, to another group too") {
  with_stores([](auto const& store) {
    make_tree(store);
    move_node(store, "g/a", "g/c");
    move_node(store, "g/h", "new/groups/h");
    CHECK((walked(store) == Strings{"g", "g/b", "g/c", "gg", "new", "new/groups", "new/groups/h", "new/groups/h/a"}));
    CHECK(all_whole(store, {"g/b", "g/c", "gg", "new/groups/h/a"}));
    move_node(store, "g", "gone/g");
    CHECK(get_attributes(store, "gone/g") == Members{{"units", "mm"}});
    CHECK(test::listed(chunks_of(store), "g").empty());
    CHECK(test::listed(chunks_of(store), "new/groups/h/a/c").size() == 2);
  });
}

TEST_CASE("what cannot be moved, or would hide something, is refused, and nothing changes") {
  with_stores([](auto const& store) {
    make_tree(store);
    auto const before = test::listed(store, "");
    check_refused<NodeNotFound>([&] { move_node(store, "nothing", "x"); }, {"nothing/zarr.json", "no node"});
    check_refused<MetadataError>([&] { move_node(store, "g", "gg"); }, {"g/zarr.json", "\"gg\"", "there is a node"});
    check_refused<MetadataError>([&] { move_node(store, "g", "g/h/g"); }, {"below itself"});
    check_refused<MetadataError>([&] { move_node(store, "g", "gg/g"); }, {"gg/zarr.json", "array above"});
    check_refused<MetadataError>([&] { move_node(store, "", "x"); }, {"root"});
    check_refused<MetadataError>([&] { move_node(store, "g", ""); }, {"root"});
    CHECK_THROWS_AS(move_node(store, "g", "../g"), Error);
    CHECK_THROWS_AS(move_node(store, "g", "x/__y"), Error);
    CHECK_THROWS_AS(move_node(store, "g", "zarr.json"), Error);
    CHECK(test::listed(store, "") == before);
    test::put(metadata_of(store), "x/photo", "a user's");
    CHECK_THROWS_AS(move_node(store, "g", "x"), StoreError);
    CHECK(test::value(metadata_of(store), "x/photo") == "a user's");
    CHECK(all_whole(store, {"g/a", "g/b", "g/h/a", "gg"}));
  });
}

TEST_CASE("each call of the store fails in turn while a node is erased or moved: what opens is whole") {
  for (bool moves : {false, true})
    for (bool after : {false, true}) {
      CAPTURE(moves);
      CAPTURE(after);
      bool done = false;
      for (long k = 0; !done; ++k) {
        CAPTURE(k);
        REQUIRE(k < 1000);
        test::FailingCallsAndLists const store;
        make_tree(store);
        store.state->left = k, store.state->after = after;
        try {
          if (moves)
            move_node(store, "g", "x/g");
          else
            erase_node(store, "g");
          done = store.state->left >= 0;  // none failed
        } catch (StoreError const&) {
        }
        store.state->left = -1;
        CHECK(all_whole(store, {"g/a", "g/b", "g/h/a", "x/g/a", "x/g/b", "x/g/h/a", "gg"}));
        auto const is_there = [&](std::string const& path) {
          return test::value(store, path + "/zarr.json") != "(missing)";
        };
        if (moves) CHECK((is_there("g") || is_there("x/g")));
        for (std::string const path : {"g", "x/g"})
          if (is_there(path))
            for (auto* below : {"/a", "/b", "/h/a"}) CHECK(is_there(path + below));
        // Half-removed nodes disappear when they are erased again.
        erase_node(store, "g"), erase_node(store, "x");
        CHECK(walked(store) == Strings{"gg"});
        CHECK(test::listed(store, "").size() == 4);  // gg's three and the root's document
        if (done) CHECK(k > 8);
      }
    }
}

TEST_CASE("a store that renames does so at once, with readers on their way") {
  test::TemporaryFolder const folder;
  auto const check_renames = [](auto const& store) {
    make_tree(store);
    static_assert(RenamingStore<std::remove_cvref_t<decltype(store)>>);
    auto const lost = open_array<std::uint8_t, 1>(store, "g/a");
    move_node(store, "g", "k");
    CHECK(all_whole(store, {"k/a", "k/b", "k/h/a", "gg"}));
    CHECK(test::listed(store, "g").empty());
    CHECK(lost.read(all)(0) == 0);  // it knows the old path
    CHECK_FALSE(store.rename("nothing", "x"));
    check_refused<StoreError>([&] { store.rename("k", "gg"); }, {"k", "rename"});
    CHECK_THROWS_AS(store.rename("k", "../x"), StoreError);
    CHECK_THROWS_AS(store.rename("../x", "k"), StoreError);
    CHECK_THROWS_AS(store.rename("k", "k/deeper"), StoreError);
    CHECK(all_whole(store, {"k/a", "k/b", "k/h/a", "gg"}));
  };
  check_renames(Memory{});
  check_renames(LocalStore<HostBuffer>{folder.path()});
  static_assert(!RenamingStore<AnyStore<HostBuffer>>);
}

TEST_CASE("attributes are read, replaced and merged, of arrays and of groups; chunks are not touched") {
  test::FailingCallsAndLists const store;
  make_tree(store);
  auto const number = [](long long n) { return Value::integer(n); };
  for (std::string const path : {"g", "g/a", ""}) {
    CAPTURE(path);
    set_attributes(store, path, {{"a", number(1)}, {"b", "two"}});
    CHECK((get_attributes(store, path) == Members{{"a", number(1)}, {"b", "two"}}));
    auto const all_of_them =
        merge_attributes(store, path, {{"c", Value{}}, {"a", Members{{"x", number(3)}}}, {"c", number(4)}});
    CHECK((all_of_them == Members{{"a", Members{{"x", number(3)}}}, {"b", "two"}, {"c", number(4)}}));
    CHECK(get_attributes(store, path) == all_of_them);
  }
  auto group = open_group(store, "g");
  merge_attributes(store, "g", {{"by", "another"}});
  group.merge_attributes({{"b", number(2)}});
  CHECK(group.attributes() == get_attributes(store, "g"));
  CHECK(group.attributes().size() == 4);
  CHECK(all_whole(store, {"g/a"}));
  check_refused<NodeNotFound>([&] { merge_attributes(store, "none", {}); }, {"none/zarr.json", "missing"});
  check_refused<NodeNotFound>([&] { (void)get_attributes(store, "none"); }, {"none/zarr.json", "missing"});
  check_refused<MetadataError>([&] { merge_attributes(store, "g", {{"n", Number{"1."}}}); }, {"g/zarr.json"});
  CHECK(open_group(store, "g").attributes() == group.attributes());
}

TEST_CASE("what is below a group is made and opened by its path from there, at the root and below") {
  Memory const store;
  for (std::string const& path : {std::string{}, std::string{"a/b"}}) {
    CAPTURE(path);
    auto const group = create_group(store, path);
    auto const made = create_group(group, "g", {{"units", "mm"}});
    CHECK(made.path() == group / "g");
    CHECK_THROWS_AS(create_group(group, "g"), MetadataError);
    create_array<std::uint8_t, 1>(made, "x", {.shape = {4}, .chunks = {2}}).write(all, four);
    CHECK(create_array<std::uint8_t, 1>(group, "y", {.shape = {1}, .chunks = {1}},
                                        Pipeline<space::Host, codec::Bytes>{}, Queue<space::Host>{})
              .untyped()
              .path() == group / "y");
    CHECK(open_group(group, "g").attributes().get<std::string>("units") == "mm");
    CHECK(open_any(group, "g/x", Queue<space::Host>{}).path() == group / "g/x");
    auto const x = open_array<std::uint8_t, 1, Codecs<codec::Bytes>>(open_group(group, "g"), "x", Queue<space::Host>{});
    CHECK(x.untyped().path() == group / "g/x");
    CHECK(x.read(all)(3) == 4);
    CHECK(create_group(group, "g", {}, {.overwrite = true}).children().empty());
  }
}

}  // namespace nodes_tests
