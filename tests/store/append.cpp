// Bytes that are appended to a value, in every store that supports it.
#include <csignal>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/tessera.hpp>

namespace append_tests {

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;

template <class S>
bool append(S const& store, std::string const& key, std::string const& more, std::uint64_t size) {
  auto const bytes = test::bytes(more);
  test::HostQueue on;
  return store.append({key}, test::view(bytes), size, on);
}

/// A store that supports only writing.
struct Plain {
  using buffer_type = HostBuffer;
  Memory inner{};
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  test::HostQueue& on) const {
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, test::HostQueue& on) const { inner.write(key, value, on); }
  bool erase(Key const& key, test::HostQueue& on) const { return inner.erase(key, on); }
};
static_assert(!AppendableStore<Plain> && !AppendableStore<PrefixStore<Plain>> &&
              !AppendableStore<SplitStore<Plain, Plain>> && !AppendableStore<CastStore<HostBuffer, Plain>> &&
              !AppendableStore<ReadOnlyStore<Memory>>);

template <class S>
void check_appends(S const& store) {
  static_assert(AppendableStore<S>);
  test::put(store, "a/k", "value");
  CHECK(append(store, "a/k", ", longer", 5));
  CHECK(test::value(store, "a/k") == "value, longer");
  CHECK(append(store, "a/k", "", 13));
  CHECK(append(store, "a/k", ".", 13));
  for (std::uint64_t size : {0u, 13u, 15u}) CHECK_FALSE(append(store, "a/k", "no", size));
  CHECK_FALSE(append(store, "a/other", "no", 0));
  CHECK(test::value(store, "a/k") == "value, longer.");
  CHECK(test::value(store, "a/other") == "(missing)");
  test::check_refused<StoreError>([&] { append(store, "../k", "no", 0); }, {"key \"../k\""});
}

TEST_CASE("bytes are put behind a value that has as many bytes as is said, and behind no other") {
  check_appends(Memory{});
  check_appends(AnyStore<HostBuffer>{Memory{}});
  check_appends(PrefixStore{Memory{}, "b"});
  check_appends(SplitStore{Memory{}, Memory{}});
  check_appends(CastStore<HostBuffer, Memory>{Memory{}});
  test::TemporaryFolder const folder;
  check_appends(Local{folder / "root"});
  check_appends(Local{folder / "synchronised", {.fsync = true}});
  check_appends(AnyStore<HostBuffer>{PrefixStore{Local{folder / "root"}, "below"}});
}

TEST_CASE("a store that cannot append says so as an AnyStore") {
  AnyStore<HostBuffer> const store{Plain{}};
  test::put(store, "k", "value");
  CHECK_FALSE(append(store, "k", "no", 5));
  CHECK(test::value(store, "k") == "value");
}

TEST_CASE("what a store lent stays as it is when the value is appended to") {
  Memory const store;
  test::HostQueue on;
  test::put(store, "k", "value");
  auto const lent = lend(store, {"k"}, {}, on);
  REQUIRE(append(store, "k", ", longer", 5));
  REQUIRE(lent);
  CHECK(test::text(lent->bytes) == "value");
}

TEST_CASE("a file is appended to where it is: who has it open sees more of it, and no other file is made") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  test::put(store, "k", "value");
  auto const mapped = store.map({"k"});
  CHECK(append(store, "k", ", longer", 5));
  REQUIRE(mapped);
  CHECK(test::text(mapped->view()) == "value");
  CHECK(test::listed(store, "") == std::vector<std::string>{"k:13"});
}

TEST_CASE("a file that has two names, and a link, are not appended to: the other would change too") {
  test::TemporaryFolder const folder;
  Local const store{folder.path(), {.links = Links::follow}};
  test::put(store, "k", "value");
  std::filesystem::create_hard_link(folder / "k", folder / "copy");
  std::filesystem::create_symlink("k", folder / "link");
  for (std::string const key : {"k", "copy", "link"}) CHECK_FALSE(append(store, key, ", longer", 5));
  std::filesystem::remove(folder / "copy");
  CHECK_FALSE(append(store, "link", ", longer", 5));
  CHECK(append(store, "k", ", longer", 5));
  std::filesystem::create_directory_symlink(".", folder / "folder");
  CHECK(append(store, "folder/k", ".", 13));  // a link on the way changes nothing
  CHECK(test::value(store, "k") == "value, longer.");
}

TEST_CASE("a file that another process appends to is not appended to") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  test::put(store, "k", "value");
  auto const file = (folder / "k");
  auto const other = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(other >= 0);
  REQUIRE(::flock(other, LOCK_EX) == 0);
  CHECK_FALSE(append(store, "k", ", longer", 5));
  ::close(other);
  CHECK(append(store, "k", ", longer", 5));
}

TEST_CASE("what of an append does not fit on the disk goes, and so does what did") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  test::put(store, "k", "value");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto const ignored = std::signal(SIGXFSZ, SIG_IGN);
  auto small = before;
  small.rlim_cur = 1000;  // bytes that a file may have
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  bool refused = false;
  try {
    append(store, "k", std::string(2000, 'x'), 5);
  } catch (StoreError const& error) {
    refused = error.key() == "k" && std::string{error.what()}.find("cannot write the file") != std::string::npos;
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  CHECK(refused);
  CHECK(test::value(store, "k") == "value");
  CHECK(append(store, "k", std::string(2000, 'x'), 5));
}

}  // namespace append_tests
