// No key leads out of a LocalStore: by symbolic links to folders and files, with ".." and without, while somebody
// changes them, on kernels with openat2 and without.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

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

// root/, and outside/ beside it with a secret.
struct Fixture {
  test::TemporaryFolder folder;
  Local store{folder / "root"};
  Fixture() {
    std::filesystem::create_directories(folder / "root/in/deep");
    std::filesystem::create_directories(folder / "outside/deep");
    write_file(folder / "outside/secret", "secret");
    write_file(folder / "root/in/value", "value");
  }
  void link(std::string const& target, std::string const& at) const {
    std::filesystem::create_symlink(target, folder / ("root/" + at));
  }
  void check_outside_is_untouched() const {
    CHECK(file_text(folder / "outside/secret") == "secret");
    std::size_t entries = 0;
    for (auto const& entry : std::filesystem::recursive_directory_iterator{folder / "outside"})
      entries += entry.exists();
    CHECK(entries == 2);
  }
};

// What holds with and without openat2. `follows`: links that stay inside are followed.
void check_links(bool follows) {
  Fixture const f;
  auto const& store = f.store;
  f.link(f.folder / "outside", "absolute");
  f.link("../outside", "up");
  f.link("../../outside", "in/up");
  f.link("../outside/secret", "file");
  f.link(f.folder / "root/in", "home");  // absolute, though it is inside
  auto const refuses = [&](std::string const& key) {
    CAPTURE(key);
    auto const name = store.name();
    test::HostQueue on;
    check_refused<StoreError>([&] { test::value(store, key); }, {name.c_str(), key.c_str(), "symbolic link"});
    check_refused<StoreError>([&] { size(store, {key}, on); }, {name.c_str(), key.c_str(), "symbolic link"});
    check_refused<StoreError>([&] { store.map({key}); }, {name.c_str(), key.c_str(), "symbolic link"});
    Key const one{key};
    auto const room = [](std::size_t) -> test::HostSpan { throw 1; };
    ReadRequest<space::Host> requests[] = {{&one, {}, room}, {&one, {1}, room}};
    check_refused<StoreError>([&] { get_many(store, std::span{requests}, on); }, {key.c_str(), "symbolic link"});
    if (key == "file") return;  // the name itself is inside
    check_refused<StoreError>([&] { test::put(store, key, "x"); }, {name.c_str(), key.c_str(), "symbolic link"});
    check_refused<StoreError>([&] { test::put(store, key + "/new/folder", "x"); }, {key.c_str(), "symbolic link"});
    check_refused<StoreError>([&] { test::erase(store, key); }, {name.c_str(), key.c_str(), "symbolic link"});
  };
  for (auto const* key : {"absolute/secret", "up/secret", "up/deep/new", "in/up/secret", "file", "home/value"})
    refuses(key);
  for (auto const* prefix : {"absolute", "up", "up/deep", "in/up"}) {
    check_refused<StoreError>([&] { test::listed(store, prefix); }, {store.name().c_str(), prefix, "symbolic link"});
    check_refused<StoreError>([&] { test::listed_directory(store, prefix); }, {prefix, "symbolic link"});
  }
  // They are there, as what cannot be read, and can be erased and overwritten: the links, not what they lead to.
  auto const names = test::listed_directory(store, "");
  CHECK(std::ranges::count(names, "file:0") == 1);
  CHECK(test::erase(store, "file"));
  f.link("../outside/secret", "file");
  test::put(store, "file", "mine");
  CHECK(test::value(store, "file") == "mine");
  CHECK(test::erase(store, "up"));
  f.check_outside_is_untouched();

  f.link("in/deep", "near");
  f.link("../in/value", "in/again");
  if (follows) {
    test::put(store, "near/k", "through a link");
    CHECK(test::value(store, "in/deep/k") == "through a link");
    CHECK(test::value(store, "near/k") == "through a link");
    CHECK(test::value(store, "near/other") == "(missing)");
    CHECK(test::value(store, "in/again") == "value");
    CHECK(test::erase(store, "near/k"));
  } else {
    check_refused<StoreError>([&] { test::put(store, "near/k", "x"); }, {"key \"near/k\"", "symbolic link"});
    check_refused<StoreError>([&] { test::value(store, "in/again"); }, {"key \"in/again\"", "symbolic link"});
  }
}

}  // namespace

TEST_CASE("no key leads out of the store's folder") {
  auto const has_openat2 = [] {
    test::TemporaryFolder const folder;
    test::SystemCalls const calls;
    CHECK(test::value(Local{folder.path()}, "k") == "(missing)");
    return calls.count("openat") == 0;  // else it goes from folder to folder
  }();
  if (!has_openat2) MESSAGE("not run: links that stay inside (this kernel has no openat2)");
  check_links(has_openat2);
}

TEST_CASE("no key leads out of the store's folder, without openat2") {
  test::NoOpenat2 const older;
  check_links(false);
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

TEST_CASE_FIXTURE(Fixture, "a link that leads nowhere is an error, not a missing key") {
  link("nowhere", "file");
  link("nowhere", "folder");
  link("folder", "second");
  link("missing/deep", "in/gone");
  for (std::string const key : {"file", "folder/c/0", "second/c/0", "in/gone/c/0"}) {
    CAPTURE(key);
    check_refused<StoreError>([&] { test::value(store, key); }, {key.c_str(), "symbolic link leads nowhere"});
    if (key == "file") continue;
    check_refused<StoreError>([&] { test::put(store, key, "x"); }, {key.c_str(), "symbolic link leads nowhere"});
    check_refused<StoreError>([&] { test::erase(store, key); }, {key.c_str(), "symbolic link leads nowhere"});
    check_refused<StoreError>([&] { test::listed(store, key); }, {key.c_str(), "symbolic link leads nowhere"});
  }
  test::put(store, "file", "now a file");
  CHECK(test::value(store, "file") == "now a file");
  link("loop", "loop");
  check_refused<StoreError>([&] { test::value(store, "loop"); }, {"key \"loop\"", "symbolic link"});
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
