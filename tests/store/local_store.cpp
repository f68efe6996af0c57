#include <atomic>
#include <cstddef>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/local_store.hpp>

using namespace tessera;

TEST_CASE("a LocalStore's keys are files below its root") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "new/root"};
  CHECK_FALSE(std::filesystem::exists(folder / "new"));  // nothing is created before it is needed
  test::put(store, "a/b", "value");
  CHECK(std::filesystem::file_size(folder / "new/root/a/b") == 5);
  CHECK(test::value(LocalStore<HostBuffer>{folder / "new"}, "root/a/b") == "value");
}

TEST_CASE("a LocalStore's root may end in slashes") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "root//"};
  CHECK(store.name() == folder / "root");
  test::put(store, "k", "v");
  CHECK(test::value(LocalStore<HostBuffer>{folder / "root"}, "k") == "v");
  CHECK(LocalStore<HostBuffer>{""}.name() == ".");
  CHECK(LocalStore<HostBuffer>{"/"}.name() == "/");
}

TEST_CASE("writing makes its folders again where erasing takes them away at the same time") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  std::atomic<int> failed{0};
  auto const work = [&](std::string const& key) {
    for (int i = 0; i < 2000; ++i) try {
        test::HostQueue on;
        std::byte const value{};
        store.write({key}, {&value, 1}, on);
        failed += !store.erase({key}, on);
      } catch (StoreError const&) {
        ++failed;
      }
  };
  std::thread other{work, "a/b/c/d/e/1"};
  work("a/b/c/d/e/2");
  other.join();
  CHECK(failed == 0);
  CHECK(test::listed_directory(store, "").empty());
}

TEST_CASE("folders may be nested without bound: listing them takes no stack") {
  test::TemporaryFolder const folder;
  auto const here = ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(here >= 0);
  REQUIRE(::chdir(folder.path().c_str()) == 0);
  constexpr int depth = 1900;  // with one letter each, below the longest path that the system allows
  int made = 0;
  while (made < depth && ::mkdir("d", 0777) == 0 && ::chdir("d") == 0) ++made;
  REQUIRE(::fchdir(here) == 0);
  ::close(here);
  CHECK(made == depth);
  LocalStore<HostBuffer> const store{folder.path()};
  std::size_t keys = 0;
  store.list("", [&](Listed const&) { return ++keys; });
  CHECK(keys == 0);
}
