// Leftovers of writers that ended early: files and folders without a lock. Other users ignore them, erase them, and
// leave those of live writers alone.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/system_calls.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

using namespace tessera;
using test::check_refused;
using Local = LocalStore<HostBuffer>;
using Strings = std::vector<std::string>;

namespace {

template <class S>
Strings unfinished(S const& store, std::string_view prefix) {
  Strings found;
  store.list_unfinished(prefix, [&](Listed const& entry) {
    found.push_back(std::string{entry.path} + (entry.is_prefix ? "/" : ':' + std::to_string(entry.size)));
  });
  std::ranges::sort(found);
  return found;
}

// A value that is being written: a request for its bytes is in the middle of the write.
template <class F>
void while_writing(Local const& store, F&& act) {
  detail::LocalFolder const folder{store.name(), {}};
  folder.write({"k"}, [&](detail::posix::Descriptor const&) { act(); });
}

struct Fixture {
  test::TemporaryFolder folder;
  Local store{folder / "root"};
  Fixture() {
    std::filesystem::create_directories(folder / "root/a/b");
    std::filesystem::create_directories(folder / "outside");
    file("../outside/secret");
    file("a/k");
  }
  std::string at(std::string const& path) const { return folder / ("root/" + path); }
  void file(std::string const& path) const { std::ofstream{at(path)} << "1234"; }
  // As left by a program that is killed while it writes an array.
  void left_folder(std::string const& path) const {
    std::filesystem::create_directories(at(path + "/new/c"));
    file(path + "/new/zarr.json");
    file(path + "/new/c/0");
    std::filesystem::create_directory_symlink(folder / "outside", at(path + "/link"));
    std::filesystem::create_symlink(folder / "outside/secret", at(path + "/new/file"));
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "what a writer left that was killed is found and erased") {
  test::put(store, "k", "old");
  auto const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    while_writing(store, [] { ::kill(::getpid(), SIGKILL); });
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  auto const left = ".tessera-" + std::to_string(child) + "-0";
  CHECK(unfinished(store, "") == Strings{left + ":0"});
  CHECK(test::value(store, "k") == "old");
  CHECK(store.erase_unfinished("") == 1);
  CHECK_FALSE(std::filesystem::exists(at(left)));
  CHECK(test::value(store, "k") == "old");
}

TEST_CASE_FIXTURE(Fixture, "what is being written is nobody else's, a folder neither") {
  auto const held = store.make_unfinished("a");
  CHECK(held.path.starts_with("a/.tessera-"));
  auto const alone = [&] {
    CHECK(unfinished(store, "").empty());
    CHECK(store.erase_unfinished("") == 0);
    CHECK(std::filesystem::is_directory(at(held.path)));
  };
  alone();
  file(held.path + "/k");
  while_writing(store, alone);
  CHECK(test::value(store, "k").empty());
  CHECK(std::filesystem::exists(at(held.path + "/k")));
  CHECK(test::listed(store, "") == Strings{"a/k:4", "k:0"});
}

TEST_CASE_FIXTURE(Fixture, "a folder that its writer left goes with all that is in it, and no link is followed") {
  left_folder("a/.tessera-1-0");
  file("a/b/.tessera-22-33");
  CHECK(test::listed(store, "") == Strings{"a/k:4"});
  CHECK(test::listed_directory(store, "a") == Strings{"a/b/", "a/k:4"});
  CHECK(unfinished(store, "") == Strings{"a/.tessera-1-0/", "a/b/.tessera-22-33:4"});
  CHECK(unfinished(store, "a/b") == Strings{"a/b/.tessera-22-33:4"});
  CHECK(store.erase_unfinished("a/b") == 1);
  CHECK(store.erase_unfinished("") == 1);
  CHECK(unfinished(store, "").empty());
  CHECK(std::filesystem::exists(folder / "outside/secret"));
  CHECK(test::listed(store, "") == Strings{"a/k:4"});
}

TEST_CASE_FIXTURE(Fixture, "names that no writer gives are not taken for what one left") {
  for (auto const* name : {".tessera-", ".tessera-1", ".tessera-1-", ".tessera--1", ".tessera-1-x", ".tessera-1-2-3",
                           "x.tessera-1-2", ".tessera-1-2.bak"})
    file(std::string{"a/b/"} + name);
  std::filesystem::create_directory_symlink("../k", at("a/b/.tessera-1-1"));
  REQUIRE(::mkfifo(at("a/b/.tessera-1-2").c_str(), 0600) == 0);
  CHECK(unfinished(store, "").empty());
  CHECK(store.erase_unfinished("") == 0);
  check_refused<StoreError>([&] { test::put(store, "a/.tessera-1-2/k", "x"); }, {"a/.tessera-1-2/k", "unfinished"});
}

TEST_CASE_FIXTURE(Fixture, "what a writer left does not stand in a value's way, nor in that of a folder") {
  for (std::string const path : {"c/0", "d"}) {
    std::filesystem::create_directories(at(path + "/below"));
    file(path + "/below/.tessera-1-0");
    left_folder(path + "/.tessera-1-1");
  }
  test::put(store, "c/0", "x");
  CHECK(test::value(store, "c/0") == "x");
  CHECK(store.rename("a", "d"));
  CHECK(test::listed(store, "") == Strings{"c/0:1", "d/k:4"});
  CHECK(std::filesystem::exists(folder / "outside/secret"));
}

TEST_CASE_FIXTURE(Fixture, "what is being written stands in a value's way, empty or not") {
  auto const held = store.make_unfinished("c/0");
  check_refused<StoreError>([&] { test::put(store, "c/0", "x"); }, {"key \"c/0\"", "directory"});
  CHECK(std::filesystem::is_directory(at(held.path)));
}

TEST_CASE_FIXTURE(Fixture, "what writers left is seen through other stores, which show it as they show keys") {
  file("a/.tessera-1-0");
  Strings const whole{"a/.tessera-1-0:4"}, part{".tessera-1-0:4"};
  PrefixStore const below{store, "a"};
  CHECK(unfinished(below, "") == part);
  CHECK(unfinished(ReadOnlyStore{store}, "a") == whole);
  CHECK(unfinished(AnyStore<HostBuffer>{store}, "") == whole);
  SplitStore const split{store, MemoryStore<HostBuffer>{}};
  CHECK(unfinished(split, "") == whole);
  CHECK(unfinished(AnyStore<HostBuffer>{MemoryStore<HostBuffer>{}}, "").empty());
  CHECK(AnyStore<HostBuffer>{MemoryStore<HostBuffer>{}}.erase_unfinished("") == 0);
  CHECK(below.erase_unfinished("") == 1);
  file("a/.tessera-1-0");
  CHECK(split.erase_unfinished("a") == 1);
  file("a/.tessera-1-0");
  CHECK(AnyStore<HostBuffer>{store}.erase_unfinished("a") == 1);
  CHECK(unfinished(store, "").empty());
}

TEST_CASE_FIXTURE(Fixture, "two folders exchange their paths at once, or the file system cannot and nothing changes") {
  test::put(store, "x/y/k", "other");
  for (int error : {0, EINVAL, ENOSYS, EIO}) {
    CAPTURE(error);
    test::SystemCalls calls;
    if (error == 0) {
      CHECK(store.exchange("a", "x/y"));
      CHECK(calls.count("renameat2") == 1);
      CHECK(calls.count("renameat") == 0);
      CHECK(test::listed(store, "") == Strings{"a/k:5", "x/y/k:4"});
      continue;
    }
    CHECK(store.exchange("a", "x/y"));
    std::size_t k = 0;
    while (calls.made().at(k) != "renameat2") ++k;
    calls.fail(k, error);
    if (error == EIO)
      check_refused<StoreError>([&] { store.exchange("a", "x/y"); }, {"key \"a\"", "exchange"});
    else
      CHECK_FALSE(store.exchange("a", "x/y"));
  }
  check_refused<StoreError>([&] { store.exchange("a", "nothing"); }, {"key \"a\"", "exchange"});
  check_refused<StoreError>([&] { store.exchange("nothing/at/all", "a"); }, {"nothing/at/all", "exchange"});
}

TEST_CASE_FIXTURE(Fixture, "a file that another program has a lease of is read when that program gives it up") {
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  auto const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    sigset_t signals;
    ::sigemptyset(&signals), ::sigaddset(&signals, SIGIO);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    auto const file = ::open(at("a/k").c_str(), O_RDWR);
    char const said = ::fcntl(file, F_SETLEASE, F_WRLCK) == 0 ? 'y' : 'n';
    if (::write(ready[1], &said, 1) != 1 || said == 'n') ::_exit(1);
    int number = 0;
    ::sigwait(&signals, &number);  // until another process requests the file
    ::_exit(0);                    // which gives up the lease
  }
  char said = 0;
  REQUIRE(::read(ready[0], &said, 1) == 1);
  REQUIRE(said == 'y');
  {
    test::SystemCalls calls;
    CHECK(test::value(store, "a/k") == "1234");
    CHECK(calls.count("openat2") + calls.count("openat") < 10);  // and does not try again and again
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  for (int end : ready) ::close(end);
}
