// Nodes in a hierarchy: names, ancestors, children, and removing a node with its children.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::check_refused;
using Memory = MemoryStore<HostBuffer>;
using Strings = std::vector<std::string>;

namespace {

NewArray<std::uint8_t> const four{.shape = {4}, .chunks = {2}};

template <class S>
auto create(S const& store, std::string const& path, NewArray<std::uint8_t> const& wanted = four) {
  return create_array<std::uint8_t, 1>(store, path, wanted);
}

// "a array", "g group"
template <class S>
Strings children(S const& store, std::string const& path) {
  Strings result;
  for (auto const& node : open_group(store, path).children())
    result.push_back(node.name + (node.type == NodeType::array ? " array" : " group"));
  return result;
}
template <class S>
Strings everything(S const& store) {
  Strings result;
  open_group(store).walk([&](Node const& node) { result.push_back(node.path); });
  return result;
}

}  // namespace

TEST_CASE("a folder without a document is neither group nor array (GROUP-02)") {
  Memory const store;
  test::put(store, "a/b/c/0", "x");
  check_refused<NodeNotFound>([&] { open_group(store, "a"); }, {"key \"a/zarr.json\"", "there is no group"});
  check_refused<NodeNotFound>([&] { open_any(store, "a/b"); }, {"key \"a/b/zarr.json\"", "there is no array"});
  create(store, "z");
  CHECK(children(store, "") == Strings{"z array"});
}

TEST_CASE("a new node has groups above it, and no array (GROUP-03, GROUP-04)") {
  Memory const store;
  create(store, "a/b/c");
  CHECK(test::value(store, "zarr.json") == to_json(to_value(GroupMetadata{})));
  CHECK(children(store, "") == Strings{"a group"});
  CHECK(children(store, "a") == Strings{"b group"});
  CHECK(children(store, "a/b") == Strings{"c array"});
  auto const before = test::listed(store, "");
  check_refused<MetadataError>([&] { create(store, "a/b/c/d"); }, {"a/b/c", "there is an array above"});
  check_refused<MetadataError>([&] { create_group(store, "a/b/c/d/e"); }, {"a/b/c", "there is an array above"});
  CHECK(test::listed(store, "") == before);
  // The contents of an array's folder are its own.
  test::put(store, "a/b/c/x/zarr.json", to_json(to_value(GroupMetadata{})));
  CHECK(everything(store) == Strings{"a", "a/b", "a/b/c"});
}

TEST_CASE("the root may be an array, and then has nothing below it (GROUP-05, NAME-01)") {
  Memory const store;
  auto const array = create(store, "");
  array.write(all, std::vector<std::uint8_t>{1, 2, 3, 4});
  CHECK(test::value(store, "c/1") == "\x03\x04");
  CHECK(open_array<std::uint8_t, 1>(store).shape() == Extents{4});
  check_refused<MetadataError>([&] { create(store, "a"); }, {"key \"zarr.json\"", "there is an array above"});
  check_refused<MetadataError>([&] { open_group(store); }, {"found \"array\"", "expected \"group\""});
}

TEST_CASE("children are what has a document, names of other data left out (GROUP-06, NAME-05)") {
  Memory const store;
  create(store, "b");
  create_group(store, "a");
  create_group(store, "a/below");
  test::put(store, "nothing/x", "");
  test::put(store, "zarr.json.bak", "");
  for (auto* name : {"__zarr", "__x", "__"})
    test::put(store, std::string{name} + "/zarr.json", to_json(to_value(GroupMetadata{})));
  CHECK(children(store, "") == Strings{"a group", "b array"});
  CHECK(everything(store) == Strings{"a", "a/below", "b"});
}

TEST_CASE("who changes what is below a group drops its consolidated metadata (GROUP-11, GROUP-09)") {
  for (std::string const copies : {R"({"kind": "inline", "must_understand": false, "metadata": {"a": {}}})", "null"}) {
    Memory const store;
    auto const with_copies = R"({"attributes": {"n": 1.50}, "zarr_format": 3, "node_type": "group",
        "consolidated_metadata": )" +
                             copies + R"(, "other": {"must_understand": false}})";
    auto const again = [&] {
      for (auto* key : {"zarr.json", "g/zarr.json"}) test::put(store, key, with_copies);
    };
    auto const copies_at = [&](std::string const& key) {
      auto const text = test::value(store, key);
      CHECK(text.find("1.50") != text.npos);
      CHECK(text.find("other") != text.npos);
      return text.find("consolidated") != text.npos;
    };
    again();
    CHECK(open_group(store, "g").attributes().size() == 1);
    CHECK(copies_at("g/zarr.json"));  // a read leaves it
    create(store, "g/a");
    CHECK_FALSE(copies_at("zarr.json"));
    CHECK_FALSE(copies_at("g/zarr.json"));
    again();
    create_group(store, "g/h");
    CHECK_FALSE(copies_at("g/zarr.json"));
    again();
    set_attributes(store, "g/a", {{"x", true}});
    CHECK_FALSE(copies_at("zarr.json"));
    CHECK_FALSE(copies_at("g/zarr.json"));
  }
}

TEST_CASE("what is overwritten goes with all that is below it, and its neighbours stay (GROUP-13)") {
  Memory const store;
  for (auto* path : {"a", "ab", "a.b", "b/a"}) create(store, path).write(all, std::vector<std::uint8_t>{1, 2, 3, 4});
  test::put(store, "a/c/77", "an old chunk");
  check_refused<MetadataError>([&] { create(store, "a"); }, {"a/zarr.json", "already"});
  CHECK(test::value(store, "a/c/77") == "an old chunk");
  auto other = four;
  other.overwrite = true;
  create(store, "a", other);
  CHECK(test::listed(store, "a").size() == 1);
  for (auto* path : {"ab", "a.b", "b/a"}) CHECK(test::listed(store, path).size() == 3);
}

TEST_CASE("names that no node may have (NAME-02, NAME-06)") {
  Memory const store;
  using namespace std::string_literals;
  for (auto const& name : {"."s, ".."s, "..."s, "........"s, "__a"s, "__"s, "zarr.json"s, "/"s, "a/"s, "/a"s, "a//b"s,
                           "a/../b"s, "a/./b"s, "a/__b/c"s, "zarr.json/a"s, "a\0b"s, "../a"s}) {
    CAPTURE(name);
    CHECK_THROWS_AS(create(store, name), Error);
    CHECK_THROWS_AS(create_group(store, name), Error);
  }
  CHECK(test::listed(store, "").empty());
}

TEST_CASE("names are any others: Unicode as it is, c, digits, with case (NAME-03, NAME-07)") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const files{folder.path()};
  Memory const memory;
  auto const check_names = [](auto const& store) {
    // "é" composed and decomposed are two names
    Strings const names{"0", "A", "a", "c", "e\xcc\x81", "\xc3\xa9", ".a", "a.", "a b", "_a", "zarr.JSON", "a\\b"};
    for (auto const& name : names) create_group(store, name);
    create(store, "c/c").write(all, std::vector<std::uint8_t>{1, 2, 3, 4});
    CHECK(children(store, "").size() == names.size());
    for (auto const& name : names) CHECK(open_group(store, name).path() == name);
    CHECK(test::value(store, "c/c/c/0") == "\x01\x02");
    CHECK(children(store, "c") == Strings{"c array"});
  };
  check_names(memory);
  check_names(files);
}

TEST_CASE("a reader sees the old document or the new one (META-33, STORE-10)") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  create(store, "a");
  std::string const old_text(10'000, 'x'), new_text(20'000, 'y');
  set_attributes(store, "a", {{"text", old_text}});
  std::atomic<bool> done{false};
  std::size_t seen = 0, wrong = 0;
  std::thread reader{[&] {
    do {
      auto const attributes = open_any(store, "a").metadata().attributes;
      auto const& text = *attributes.front().value.get_if<std::string>();
      ++seen;
      wrong += text != old_text && text != new_text;
    } while (!done);
  }};
  for (int i = 0; i < 50; ++i) set_attributes(store, "a", {{"text", i % 2 ? old_text : new_text}});
  done = true;
  reader.join();
  CHECK(seen > 0);
  CHECK(wrong == 0);
  CHECK(test::listed(store, "").size() == 2);  // no unfinished file is left, or it is not a key
}
