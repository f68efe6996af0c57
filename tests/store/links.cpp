// Symbolic links below a LocalStore's root: to folders and files, inside and outside of it, to nothing and in circles,
// while another process changes them, on kernels with openat2 and without. They are refused, or followed: by every
// operation alike.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/system_calls.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/testing/store_conformance.hpp>

using namespace tessera;
using test::check_refused;
using Local = LocalStore<HostBuffer>;

namespace {

void write_file(std::string const& path, std::string const& text) { std::ofstream{path} << text; }
std::string file_text(std::string const& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

using Strings = std::vector<std::string>;

// root/, and outside/ beside it with a secret.
struct Fixture {
  test::TemporaryFolder folder;
  Local store{folder / "root"};
  Local following{folder / "root", {.links = Links::follow}};
  Fixture() {
    std::filesystem::create_directories(folder / "root/in/deep");
    std::filesystem::create_directories(folder / "outside/deep");
    write_file(folder / "outside/secret", "secret");
    write_file(folder / "root/in/value", "value");
  }
  void link(std::string const& target, std::string const& at) const {
    std::filesystem::create_symlink(target, folder / ("root/" + at));
  }
  bool is_link(std::string const& at) const { return std::filesystem::is_symlink(folder / ("root/" + at)); }
  void check_outside_is_untouched() const {
    CHECK(file_text(folder / "outside/secret") == "secret");
    std::size_t entries = 0;
    for (auto const& entry : std::filesystem::recursive_directory_iterator{folder / "outside"})
      entries += entry.exists();
    CHECK(entries == 2);
  }
};

template <class F>
void get_two(Local const& store, std::string const& key, F&& room) {
  test::HostQueue on;
  Key const one{key};
  ReadRequest<space::Host> requests[] = {{&one, {}, room}, {&one, {1}, room}};
  get_many(store, std::span{requests}, on);
}
bool append(Local const& store, std::string const& key, std::string const& more, std::uint64_t size) {
  test::HostQueue on;
  auto const bytes = test::bytes(more);
  return store.append({key}, test::view(bytes), size, on);
}
void write_two(Local const& store, std::string const& one, std::string const& other) {
  test::HostQueue on;
  auto const bytes = test::bytes("x");
  Key const keys[] = {{one}, {other}};
  WriteRequest<space::Host> const requests[] = {{&keys[0], test::view(bytes)}, {&keys[1], test::view(bytes)}};
  store.write_many(requests, on);
}
Strings listed_own(Local const& store, std::string_view prefix) {
  Strings found;
  store.list_own(prefix, [&](Listed const& entry) { found.emplace_back(entry.path); });
  std::ranges::sort(found);
  return found;
}

void check_refuses() {
  Fixture const f;
  auto const& store = f.store;
  auto const name = store.name();
  f.link(f.folder / "outside", "absolute");
  f.link("../outside", "up");
  f.link("../../outside", "in/up");
  f.link("../outside/secret", "file");
  f.link(f.folder / "root/in", "home");
  f.link("in/deep", "near");
  f.link("in/value", "again");
  f.link("nowhere", "gone");
  f.link("loop", "loop");
  test::HostQueue on;
  for (std::string const key : {"absolute/secret", "up/secret", "up/deep/new", "in/up/secret", "home/value", "near/k",
                                "gone/k", "loop/k", "file", "again", "gone", "loop", "absolute"}) {
    CAPTURE(key);
    auto const refuses = [&](auto&& act) {
      check_refused<StoreError>(act, {name.c_str(), key.c_str(), "symbolic link", "Links::follow"});
    };
    refuses([&] { test::value(store, key); });
    refuses([&] { value_size(store, {key}, on); });
    refuses([&] { store.map({key}); });
    refuses([&] { get_two(store, key, [](std::size_t) -> test::HostSpan { throw 1; }); });
    refuses([&] { append(store, key, "x", 6); });
    refuses([&] { store.rename(key, "new"); });
    if (key.find('/') == key.npos) continue;  // the name itself is inside
    refuses([&] { test::put(store, key, "x"); });
    refuses([&] { test::put(store, key + "/new/folder", "x"); });
    refuses([&] { write_two(store, key, key + "2"); });
    refuses([&] { test::erase(store, key); });
    check_refused<StoreError>([&] { store.rename("in", key + "/in"); }, {name.c_str(), "\"in\"", "symbolic link"});
    check_refused<StoreError>([&] { store.exchange("in", key); }, {name.c_str(), "\"in\"", "symbolic link"});
  }
  for (auto const* prefix : {"absolute", "up", "up/deep", "in/up", "near", "gone", "loop"}) {
    check_refused<StoreError>([&] { test::listed(store, prefix); }, {name.c_str(), prefix, "symbolic link"});
    check_refused<StoreError>([&] { test::listed_directory(store, prefix); }, {name.c_str(), prefix, "symbolic link"});
  }
  // A listing shows all of them, as unreadable entries.
  CHECK(test::listed_directory(store, "") ==
        Strings{"absolute:0", "again:0", "file:0", "gone:0", "home:0", "in/", "loop:0", "near:0", "up:0"});
  CHECK(test::listed(store, "") == Strings{"absolute:0", "again:0", "file:0", "gone:0", "home:0", "in/up:0",
                                           "in/value:5", "loop:0", "near:0", "up:0"});
  store.list("", [&](Listed const& entry) {
    CAPTURE(entry.path);
    CHECK(entry.link == (entry.path == "in/value"                        ? Link::none
                         : entry.path == "file" || entry.path == "again" ? Link::to_value
                                                                         : Link::to_keys));
  });
  // A link can be erased and replaced: the link, not its target.
  for (std::string const key : {"absolute", "file", "again", "gone", "loop", "near"}) {
    CAPTURE(key);
    CHECK(test::erase(store, key));
    CHECK_FALSE(f.is_link(key));
  }
  f.link("../outside/secret", "file");
  f.link("../outside", "folder");
  for (std::string const key : {"file", "folder", "up"}) {
    CAPTURE(key);
    test::put(store, key, "mine");
    CHECK(test::value(store, key) == "mine");
  }
  f.check_outside_is_untouched();
  CHECK(test::value(store, "in/value") == "value");
}

void check_follows() {
  Fixture const f;
  auto const& store = f.following;
  auto const outside = [&](std::string const& path) { return file_text(f.folder / ("outside/" + path)); };
  f.link(f.folder / "outside", "absolute");
  f.link("../../outside", "in/up");
  f.link("../outside/secret", "file");
  f.link("in/deep", "near");
  test::HostQueue on;
  for (std::string const key : {"absolute/secret", "in/up/secret", "file"}) {
    CAPTURE(key);
    CHECK(test::value(store, key) == "secret");
    CHECK(value_size(store, {key}, on) == 6);
    CHECK(test::text(store.map({key})->view()) == "secret");
    std::vector<test::Bytes> memory;
    get_two(store, key, [&](std::size_t n) { return memory.emplace_back(n), test::span(memory.back()); });
    REQUIRE(memory.size() == 2);
    CHECK(test::text(test::view(memory[1])) == "ecret");
  }
  CHECK(test::value(store, "near/other") == "(missing)");
  CHECK(test::value(store, "file/below") == "(missing)");
  CHECK(test::listed(store, "") == Strings{"absolute/secret:6", "file:6", "in/up/secret:6", "in/value:5"});
  CHECK(test::listed(store, "in/up") == Strings{"in/up/secret:6"});
  CHECK(test::listed_directory(store, "") == Strings{"absolute/", "file:6", "in/", "near/"});
  CHECK(listed_own(store, "") == Strings{"absolute", "file", "in/up", "in/value", "near"});
  CHECK(listed_own(store, "in/up") == Strings{"in/up"});
  CHECK(listed_own(store, "absolute/deep").empty());

  test::put(store, "absolute/new/k", "far");
  CHECK(outside("new/k") == "far");
  write_two(store, "absolute/1", "near/2");
  CHECK(outside("1") == "x");
  CHECK(test::value(store, "in/deep/2") == "x");
  CHECK(append(store, "absolute/new/k", " away", 3));
  CHECK(outside("new/k") == "far away");
  CHECK_FALSE(append(store, "file", "x", 6));  // it is replaced, and its target is unchanged
  CHECK(test::erase(store, "absolute/new/k"));
  CHECK(test::erase(store, "absolute/1"));
  CHECK_FALSE(std::filesystem::exists(f.folder / "outside/new"));  // empty folders are removed, links stay
  CHECK(test::erase(store, "near/2"));
  CHECK(f.is_link("near"));
  test::put(store, "file", "mine");
  CHECK(test::value(store, "file") == "mine");
  f.link("../outside/secret", "other");
  CHECK(test::erase(store, "other"));
  CHECK(test::erase(store, "near"));
  f.check_outside_is_untouched();

  CHECK(store.rename("absolute", "deeper/absolute"));
  CHECK(test::value(store, "deeper/absolute/secret") == "secret");
  check_refused<StoreError>([&] { store.rename("in/up", "up"); }, {"key \"in/up\"", "relative symbolic link"});
  CHECK(store.rename("in/up", "in/renamed"));
  CHECK(test::value(store, "in/renamed/secret") == "secret");
  CHECK(store.rename("in/renamed/deep", "in/renamed/deeper"));
  CHECK(std::filesystem::is_directory(f.folder / "outside/deeper"));
  CHECK(store.exchange("in/renamed/deeper", "in/deep"));
  CHECK(test::value(store, "in/renamed/secret") == "secret");
}

void check_circles() {
  Fixture const f;
  f.link("..", "in/above");
  f.link("in", "self");
  f.link("../self", "in/circle");
  for (std::string const prefix : {"in", "self", ""}) {
    CAPTURE(prefix);
    check_refused<StoreError>([&] { test::listed(f.following, prefix); }, {"symbolic link", "points to a folder"});
  }
  f.link("two", "one");
  f.link("one", "two");
  check_refused<StoreError>([&] { test::value(f.following, "one/k"); }, {"key \"one/k\""});
  CHECK(listed_own(f.following, "") == Strings{"in/above", "in/circle", "in/value", "one", "self", "two"});
}

}  // namespace

TEST_CASE("links are refused by every operation alike, and shown by listings") { check_refuses(); }
TEST_CASE("links are refused by every operation alike, without openat2") {
  test::NoOpenat2 const older;
  check_refuses();
}
TEST_CASE(
    "links are followed wherever they lead, by every operation alike, and nothing is erased or replaced with them") {
  check_follows();
}
TEST_CASE("links are followed without openat2 too") {
  test::NoOpenat2 const older;
  check_follows();
}
TEST_CASE("links that lead in circles are an error of listings that follow them") { check_circles(); }
TEST_CASE("links that lead in circles are an error, without openat2") {
  test::NoOpenat2 const older;
  check_circles();
}

TEST_CASE("without openat2 a LocalStore is a store all the same") {
  test::TemporaryFolder const folder;
  test::NoOpenat2 const older;
  int made = 0;
  auto const make = [&] { return Local{folder / std::to_string(made++)}; };
  CHECK(testing::store_conformance(make) == std::vector<std::string>{});
  auto const store = make();
  test::put(store, "a/b/k", "v");
  test::SystemCalls const calls;
  CHECK(test::value(store, "a/b/k") == "v");
  CHECK(calls.count("openat") == 3);
}

TEST_CASE_FIXTURE(Fixture, "a link that leads nowhere is an error, not a missing key, where links are followed") {
  link("nowhere", "file");
  link("nowhere", "folder");
  link("folder", "second");
  link("missing/deep", "in/gone");
  for (std::string const key : {"file", "folder/c/0", "second/c/0", "in/gone/c/0"}) {
    CAPTURE(key);
    check_refused<StoreError>([&] { test::value(following, key); }, {key.c_str(), "symbolic link leads nowhere"});
    if (key == "file") continue;
    check_refused<StoreError>([&] { test::put(following, key, "x"); }, {key.c_str(), "symbolic link leads nowhere"});
    check_refused<StoreError>([&] { test::erase(following, key); }, {key.c_str(), "symbolic link leads nowhere"});
    check_refused<StoreError>([&] { test::listed(following, key); }, {key.c_str(), "symbolic link leads nowhere"});
  }
  test::put(following, "file", "now a file");
  CHECK(test::value(following, "file") == "now a file");
}

TEST_CASE_FIXTURE(Fixture, "a folder that becomes a link to the outside while it is used leads nobody out") {
  std::filesystem::create_directory_symlink("../outside", folder / "root/link");
  std::filesystem::create_directory(folder / "root/folder");
  write_file(folder / "root/folder/secret", "mine");
  std::atomic<bool> stop{false};
  std::thread swaps{[&] {
    auto const at = [&](char const* name) { return folder / ("root/" + std::string{name}); };
    while (!stop) {
      ::rename(at("folder").c_str(), at("aside").c_str());
      ::rename(at("link").c_str(), at("folder").c_str());
      ::rename(at("folder").c_str(), at("link").c_str());
      ::rename(at("aside").c_str(), at("folder").c_str());
    }
  }};
  std::size_t leaked = 0, refused = 0, mine = 0;
  for (int i = 0; i < 3000; ++i) try {
      auto const found = test::value(store, "folder/secret");
      leaked += found == "secret";
      mine += found == "mine";
      test::put(store, "folder/new", "x");
      test::erase(store, "folder/new");
    } catch (StoreError const&) {
      ++refused;
    }
  stop = true;
  swaps.join();
  CHECK(leaked == 0);
  CHECK(mine + refused > 0);
  check_outside_is_untouched();
}

TEST_CASE("a store finds its folder again when it was erased and made anew") {
  test::TemporaryFolder const folder;
  Local const store{folder / "root"};
  test::put(store, "a/k", "old");
  std::filesystem::remove_all(folder / "root");
  CHECK(test::value(store, "a/k") == "(missing)");
  CHECK(test::listed(store, "").empty());
  CHECK_FALSE(test::erase(store, "a/k"));
  test::put(store, "k", "new");
  CHECK(test::value(Local{folder / "root"}, "k") == "new");
  std::filesystem::remove_all(folder / "root");
  test::put(Local{folder / "root"}, "k", "of another");
  CHECK(test::value(store, "k") == "of another");
  std::filesystem::remove_all(folder / "root");
  test::put(Local{folder / "root"}, "k", "x");
  CHECK(test::listed(store, "") == std::vector<std::string>{"k:1"});
  std::filesystem::rename(folder / "root", folder / "renamed");  // the store stays with it
  CHECK(test::value(store, "k") == "x");
}
