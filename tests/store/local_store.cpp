#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/local_store.hpp>

using namespace tessera;

TEST_CASE("LocalStore is a store") {
  test::TemporaryFolder const folder;
  test::test_store([&] { return LocalStore<HostBuffer>{folder / "store"}; });
}

TEST_CASE("a LocalStore's keys are files below its root") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "new/root"};
  CHECK_FALSE(std::filesystem::exists(folder / "new"));  // nothing is made before it is needed
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
