// Entries of a folder on disk other than readable files.
#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/local_store.hpp>

using namespace tessera;
using test::check_refused;

namespace {

struct FilesFixture {
  test::TemporaryFolder folder;
  LocalStore<HostBuffer> store{folder.path().string()};
};

}  // namespace

TEST_CASE_FIXTURE(FilesFixture, "a folder where a file should be is a missing key") {
  std::filesystem::create_directories(folder / "a/b");
  CHECK(test::value(store, "a/b") == "(missing)");
  CHECK(test::value(store, "a") == "(missing)");
  CHECK_FALSE(test::erase(store, "a/b"));
  CHECK(std::filesystem::is_directory(folder / "a/b"));
}

TEST_CASE_FIXTURE(FilesFixture,
                  "a file where a folder should be hides the keys below it, and writing there is an error") {
  test::put(store, "a", "file");
  CHECK(test::value(store, "a/b") == "(missing)");
  CHECK_FALSE(test::erase(store, "a/b"));
  check_refused<StoreError>([&] { test::put(store, "a/b", "x"); }, {store.name().c_str(), "key \"a/b\"", "directory"});
  CHECK(test::value(store, "a") == "file");
}

TEST_CASE_FIXTURE(FilesFixture, "a folder is not overwritten by a value") {
  test::put(store, "a/b", "x");
  check_refused<StoreError>([&] { test::put(store, "a", "y"); }, {store.name().c_str(), "key \"a\"", "rename"});
  CHECK(test::value(store, "a/b") == "x");
  CHECK(test::listed_directory(store, "") == std::vector<std::string>{"a/"});  // and no temporary file is left
}

TEST_CASE_FIXTURE(FilesFixture, "empty folders, as other programs leave them, do not stand in a value's way") {
  REQUIRE(std::filesystem::create_directories(folder / "c/0"));
  CHECK(test::value(store, "c/0") == "(missing)");
  test::put(store, "c/0", "x");
  CHECK(test::value(store, "c/0") == "x");
  CHECK(test::listed(store, "") == std::vector<std::string>{"c/0:1"});
  for (auto const* path : {"d/0/a/b/c", "d/0/a/e", "d/0/f"})
    REQUIRE(std::filesystem::create_directories(folder / path));
  test::put(store, "d/0", "x");
  CHECK(test::value(store, "d/0") == "x");
  test::put(store, "e/0/a/value", "y");
  REQUIRE(std::filesystem::create_directories(folder / "f"));
  std::filesystem::create_directory_symlink("../e", folder / "f/link");  // may be in use
  for (auto const* key : {"e/0", "f"})
    check_refused<StoreError>([&] { test::put(store, key, "x"); }, {store.name().c_str(), key, "rename", "directory"});
  CHECK(test::listed(store, "") == std::vector<std::string>{"c/0:1", "d/0:1", "e/0/a/value:1", "f/link:0"});
}

TEST_CASE_FIXTURE(FilesFixture, "a value that is refused for what is in a folder takes none of the empty ones there") {
  for (int i = 0; i < 20; ++i)
    REQUIRE(std::filesystem::create_directories(folder / ("c/0/" + std::to_string(i) + "/below")));
  test::put(store, "c/0/10/file", "x");
  check_refused<StoreError>([&] { test::put(store, "c/0", "x"); }, {"key \"c/0\"", "rename", "directory"});
  for (int i = 0; i < 20; ++i) CHECK(std::filesystem::is_directory(folder / ("c/0/" + std::to_string(i) + "/below")));
}

TEST_CASE_FIXTURE(FilesFixture, "empty folders do not stand in the way of a folder that is renamed") {
  test::put(store, "a/k", "x");
  REQUIRE(std::filesystem::create_directories(folder / "b/c/d"));
  REQUIRE(std::filesystem::create_directories(folder / "b/e"));
  CHECK(store.rename("a", "b"));
  CHECK(test::listed(store, "") == std::vector<std::string>{"b/k:1"});
  test::put(store, "a/k", "y");
  check_refused<StoreError>([&] { store.rename("a", "b"); }, {"key \"a\"", "rename the folder"});
  check_refused<StoreError>([&] { store.rename("a", "a/k/l"); }, {"key \"a\""});
  CHECK(test::listed(store, "") == std::vector<std::string>{"a/k:1", "b/k:1"});
}

TEST_CASE_FIXTURE(FilesFixture, "who removes empty folders finds that another did, and wrote the value") {
  for (int round = 0; round < 300; ++round) {
    std::filesystem::create_directories(folder / "c/0/below");
    std::atomic<int> waiting{3};
    std::atomic<int> refused{0};
    std::vector<std::thread> writers;
    for (int i = 0; i < 3; ++i)
      writers.emplace_back([&] {
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        try {
          test::put(store, "c/0", "x");
        } catch (StoreError const&) {
          ++refused;
        }
      });
    for (auto& writer : writers) writer.join();
    REQUIRE(refused == 0);
    REQUIRE(test::value(store, "c/0") == "x");
    REQUIRE(test::erase(store, "c/0"));
  }
}

TEST_CASE_FIXTURE(FilesFixture, "a folder that somebody makes again and again does not stand in a value's way") {
  for (int round = 0; round < 300; ++round) {
    std::atomic<bool> done{false};
    std::thread other{[&, path = folder / "c/0/below"] {
      std::error_code ignored;  // the value may exist before
      while (!done) std::filesystem::create_directories(path, ignored);
    }};
    CHECK_NOTHROW(test::put(store, "c/0", "x"));
    done = true;
    other.join();
    CHECK(test::value(store, "c/0") == "x");
    CHECK(test::erase(store, "c/0"));
  }
}

TEST_CASE_FIXTURE(FilesFixture, "a named pipe is an error, and nobody waits for it") {
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  check_refused<StoreError>([&] { test::value(store, "pipe"); },
                            {store.name().c_str(), "key \"pipe\"", "not a regular file"});
  CHECK(test::listed_directory(store, "").empty());
}

TEST_CASE_FIXTURE(FilesFixture, "unfinished files are not keys") {
  test::put(store, "a/k", "x");
  std::filesystem::copy(folder / "a/k", folder / "a/.tessera-1-0");
  CHECK(test::listed(store, "") == std::vector<std::string>{"a/k:1"});
  CHECK(test::listed_directory(store, "a") == std::vector<std::string>{"a/k:1"});
}

TEST_CASE_FIXTURE(FilesFixture, "an unfinished file of a program that crashed is in nobody's way") {
  auto const mine = ".tessera-" + std::to_string(::getpid()) + "-0";
  test::put(LocalStore<HostBuffer>{folder / "other"}, "k", "left behind");
  std::filesystem::copy(folder / "other/k", folder / mine);
  test::put(store, "k", "x");
  CHECK(test::value(store, "k") == "x");
}

TEST_CASE_FIXTURE(FilesFixture, "a root that leads nowhere is an error, not a hang") {
  std::filesystem::create_symlink("nowhere", folder / "root");
  LocalStore<HostBuffer> const lost{folder / "root"};
  check_refused<StoreError>([&] { test::value(lost, "k"); }, {lost.name().c_str(), "key \"k\"", "No such file"});
  check_refused<StoreError>([&] { test::put(lost, "k", "x"); }, {lost.name().c_str(), "key \"k\""});
}

TEST_CASE_FIXTURE(FilesFixture, "a path that is too long is an error") {
  auto const key = std::string(5000, 'a');
  check_refused<StoreError>([&] { test::value(store, key); }, {"too long"});
  CHECK_THROWS_AS(test::put(store, std::string(300, 'a'), "x"), StoreError);
  CHECK(test::listed_directory(store, "").empty());
}
