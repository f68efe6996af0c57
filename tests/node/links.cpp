// Nodes and their parts that are symbolic links: refused or followed alike by reads, listings, changes and moves, and
// never erased through.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/one_shard.hpp>
#include <support/refused.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

namespace array_links_tests {

using namespace tessera;
using test::check_refused;
using Local = LocalStore<HostBuffer>;

using Elements = std::vector<std::uint8_t>;

auto open_a(Local const& store, std::string const& path) { return open_array<std::uint8_t, 1>(store, path); }

Elements read(Local const& store, std::string const& path) {
  auto const array = open_a(store, path);
  Elements elements(array.shape()[0]);
  array.read(all, elements);
  return elements;
}

// In root/ the array "a", whose chunks are in outside/chunks, "g/far", which is outside/far, and "g/near". outside/ is
// unchanged when `check_outside` holds.
struct Fixture {
  test::TemporaryFolder folder;
  Local store{folder / "root"}, following{folder / "root", {.links = Links::follow}}, outside{folder / "outside"};

  explicit Fixture(std::uint64_t length = 4) {
    Elements elements(length);
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint8_t>(i % 250 + 1);
    for (auto const* path : {"a", "g/near"})
      create_array<std::uint8_t, 1>(store, path, {.shape = {length}, .chunks = {1}}).write(all, elements);
    create_array<std::uint8_t, 1>(outside, "far", {.shape = {length}, .chunks = {1}}).write(all, elements);
    std::filesystem::rename(folder / "root/a/c", folder / "outside/chunks");
    std::filesystem::create_directory_symlink(folder / "outside/chunks", folder / "root/a/c");
    std::filesystem::create_directory_symlink(folder / "outside/far", folder / "root/g/far");
  }
  bool is_there(std::string const& path) const {
    return std::filesystem::exists(std::filesystem::symlink_status(folder / ("root/" + path)));
  }
  void check_outside() const {
    CHECK(read(outside, "far") == Elements{1, 2, 3, 4});
    for (int i = 0; i < 4; ++i) CHECK(std::filesystem::exists(folder / ("outside/chunks/" + std::to_string(i))));
  }
};

template <class F>
void check_link(F&& act, char const* key) {
  check_refused<StoreError>(act, {key, "symbolic link", "Links::follow"});
}

std::vector<std::string> walked(Local const& store) {
  std::vector<std::string> paths;
  open_group(store).walk([&](Node const& node) { paths.push_back(node.path); });
  return paths;
}

TEST_CASE_FIXTURE(Fixture, "arrays behind links are read, written and listed where links are followed, else nowhere") {
  check_link([&] { read(store, "a"); }, "key \"a/c/0\"");
  check_link([&] { read(store, "g/far"); }, "key \"g/far/zarr.json\"");
  check_link([&] { open_a(store, "a").write(all, Elements{9, 9, 9, 9}); }, "key \"a/c/");
  check_link([&] { open_a(store, "a").append(Elements{9}); }, "key \"a/c/4\"");
  check_link([&] { open_group(store, "g").children(); }, "key \"g/far/zarr.json\"");
  check_link([&] { walked(store); }, "key \"g/far/zarr.json\"");
  check_link([&] { set_attributes(store, "g/far", Members{{"a", true}}); }, "key \"g/far/zarr.json\"");
  check_outside();

  CHECK(read(following, "a") == Elements{1, 2, 3, 4});
  CHECK(walked(following) == std::vector<std::string>{"a", "g", "g/far", "g/near"});
  open_a(following, "a").write(all, Elements{9, 8, 7, 6});
  CHECK(read(following, "a") == Elements{9, 8, 7, 6});
  CHECK(std::filesystem::is_symlink(folder / "root/a/c"));
  open_a(following, "g/far").append(Elements{5});
  CHECK(read(outside, "far") == Elements{1, 2, 3, 4, 5});
}

TEST_CASE("a link beside a group's members that leads to a file is none of them") {
  Fixture const f;
  REQUIRE(std::filesystem::remove(f.folder / "root/g/far"));
  std::ofstream{f.folder / "outside/readme"} << "text";
  std::filesystem::create_symlink(f.folder / "outside/readme", f.folder / "root/g/readme");
  for (auto const& store : {f.store, f.following}) CHECK(walked(store) == std::vector<std::string>{"a", "g", "g/near"});
}

TEST_CASE("a node that is a link, or has links below it, is erased without what they lead to") {
  for (auto const links : {Links::refuse, Links::follow})
    for (std::string const path : {"g/far", "g", "a", ""}) {
      CAPTURE(path);
      Fixture const f;
      CHECK(erase_node(Local{f.store.name(), {.links = links}}, path));
      CHECK_FALSE(f.is_there(path.empty() ? "zarr.json" : path));
      CHECK(f.is_there("g/near") == (path == "g/far" || path == "a"));
      f.check_outside();
    }
}

TEST_CASE("through other stores a node that has links below it is erased without what they lead to") {
  for (auto const links : {Links::refuse, Links::follow}) {
    auto const check = [&](auto&& erase) {
      Fixture const f;
      erase(Local{f.store.name(), {.links = links}});
      CHECK_FALSE(f.is_there("g/far"));
      CHECK_FALSE(f.is_there("g/near"));
      f.check_outside();
    };
    check([](Local const& store) { CHECK(erase_node(PrefixStore{store, "g"}, "")); });
    check([](Local const& store) { CHECK(erase_node(AnyStore<HostBuffer>{store}, "g")); });
    check([](Local const& store) { CHECK(erase_node(SplitStore{store, store}, "g")); });
    check([](Local const& store) { CHECK(erase_node(SplitStore{store, PrefixStore{store, ""}}, "g")); });
  }
}

TEST_CASE("an array is made in the place of a link, which is replaced, not what it leads to") {
  for (auto const links : {Links::refuse, Links::follow}) {
    Fixture const f;
    Local const store{f.store.name(), {.links = links}};
    for (auto const* path : {"g/far", "a"})
      create_array<std::uint8_t, 1>(store, path, {.shape = {4}, .chunks = {1}, .overwrite = true})
          .write(all, Elements{9, 9, 9, 9});
    CHECK(read(f.store, "g/far") == Elements{9, 9, 9, 9});
    CHECK(read(f.store, "a") == Elements{9, 9, 9, 9});
    f.check_outside();
  }
}

TEST_CASE("a node moves with the links below it; a link is moved itself, where links are followed") {
  for (auto const links : {Links::refuse, Links::follow}) {
    Fixture const f;
    Local const store{f.store.name(), {.links = links}};
    move_node(store, "a", "b/a");
    CHECK(read(f.following, "b/a") == Elements{1, 2, 3, 4});
    if (links == Links::refuse) {
      check_link([&] { move_node(store, "g/far", "far"); }, "key \"g/far/zarr.json\"");
      check_link([&] { move_node(store, "b", "g/far/b"); }, "key \"g/far");
      CHECK(f.is_there("g/far"));
    } else {
      move_node(store, "g/far", "far");
      CHECK(std::filesystem::is_symlink(f.folder / "root/far"));
      CHECK(read(f.following, "far") == Elements{1, 2, 3, 4});
    }
    f.check_outside();
  }
}

TEST_CASE("a node that moves by being copied takes what links lead to with it, or is refused") {
  Fixture const f;
  check_link([&] { move_node(SplitStore{f.store, f.store}, "a", "b"); }, "key \"a/c\"");
  CHECK(f.is_there("a/zarr.json"));
  move_node(SplitStore{f.following, f.following}, "a", "b");
  CHECK(read(f.store, "b") == Elements{1, 2, 3, 4});
  CHECK_FALSE(f.is_there("a"));
  f.check_outside();
}

TEST_CASE("an array whose chunks are behind a link shrinks and grows, and no old value comes back; or is refused") {
  for (std::uint64_t const length : {4u, 1500u}) {  // the number listed
    Fixture const f{length};
    check_link([&] { open_a(f.store, "a").resize({1}); }, "key \"a/c");
    check_link([&] { open_a(f.store, "a").resize({length}); }, "key \"a/c");
    auto const array = open_a(f.following, "a");
    array.resize({1});
    array.resize({length});
    Elements expected(length);
    expected[0] = 1;
    CHECK(read(f.following, "a") == expected);
    CHECK(std::filesystem::is_symlink(f.folder / "root/a/c"));
  }
}

TEST_CASE("shards behind a link are compacted where links are followed, else refused") {
  test::TemporaryFolder const folder;
  Local const store{folder / "root"}, following{folder / "root", {.links = Links::follow}};
  auto const array = test::one_shard(store);
  test::put_text(array, all, test::numbers());
  test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");  // the replaced chunk stays in the shard
  std::filesystem::rename(folder / "root/c", folder / "outside");
  std::filesystem::create_directory_symlink("../outside", folder / "root/c");
  auto const size = [&] { return std::filesystem::file_size(folder / "outside/0/0"); };
  auto const before = size();
  check_link([&] { open_any<AllCodecs>(store).compact(); }, "key \"c/0/0\"");
  CHECK(size() == before);
  auto const freed = open_any<AllCodecs>(following).compact();
  CHECK(freed > 0);
  CHECK(size() == before - freed);
}

TEST_CASE("a link that leads to a folder above it is erased, and erasing it does not wait for its own lock") {
  Fixture const f;
  std::filesystem::create_directory_symlink("..", f.folder / "root/g/up");
  CHECK(erase_node(f.following, "g/up"));
  CHECK_FALSE(std::filesystem::is_symlink(f.folder / "root/g/up"));
  std::filesystem::create_directory_symlink("g", f.folder / "root/h");
  move_node(f.following, "g/near", "h/moved");  // below its former group
  CHECK(read(f.store, "g/moved") == Elements{1, 2, 3, 4});
  f.check_outside();
}

}  // namespace array_links_tests
