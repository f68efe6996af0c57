// A watch reads the value that it holds, whatever its key has meanwhile: with few system calls, and through stores
// around a store too.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/system_calls.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

using namespace tessera;
using Local = LocalStore<HostBuffer>;
using HostQueue = Queue<space::Host>;

namespace {

void write(Local const& store, Key const& key, std::string const& value, HostQueue& on) {
  store.write(key, test::view(test::bytes(value)), on);
}

// The bytes of two ranges of the key, read with the watch's value: nullopt, if that changed.
template <class S>
std::optional<std::string> read(S const& store, Key const& key, ValueWatch const& watch, HostQueue& on) {
  std::string found(4, ' ');
  auto const part = [&](std::size_t i) {
    return [&found, i](std::size_t n) {
      CHECK(n == 2);
      return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(found.data() + 2 * i), n};
    };
  };
  auto const first = part(0), second = part(1);
  ReadRequest<space::Host> requests[]{{&key, {0, 2}, first}, {&key, {2, 2}, second}};
  for (auto& request : requests) request.watch = &watch;
  get_many(store, std::span{requests}, on);
  for (auto const& request : requests) {
    CHECK(request.size == 2);
    if (!request.is_of_watch) return std::nullopt;
  }
  return found;
}

template <class S>
void check_held(Local const& local, std::string const& path, S const& store, Key const& key) {
  HostQueue on{1};
  write(local, {path}, "abcd", on);
  auto const watch = store.watch(key);
  CHECK(watch.version().is_there);
  write(local, {path}, "efgh", on);
  CHECK(read(store, key, watch, on) == "abcd");
  CHECK(watch.is_unchanged());
  CHECK(read(store, key, store.watch(key), on) == "efgh");
  local.erase({path}, on);
  CHECK(read(store, key, watch, on) == "abcd");
  CHECK_FALSE(store.watch(key).version().is_there);
}

}  // namespace

TEST_CASE("a value that is replaced or erased is read on by who watches it, through stores around the store too") {
  test::TemporaryFolder const folder;
  Local const local{folder / ""};
  check_held(local, "a/b", local, {"a/b"});
  check_held(local, "a/b", PrefixStore{local, "a"}, {"b"});
  check_held(local, "a/b", ReadOnlyStore{local}, {"a/b"});
  check_held(local, "a/b", SplitStore{MemoryStore<HostBuffer>{}, local}, {"a/b"});
  check_held(local, "a/b", AnyStore<HostBuffer>{PrefixStore{local, "a"}}, {"b"});
}

TEST_CASE("a watch of another store is not read through: its key is, and the answer says so") {
  test::TemporaryFolder const folder;
  HostQueue on{1};
  Local const one{folder / "one"}, other{folder / "other"};
  write(one, {"k"}, "abcd", on);
  write(other, {"k"}, "efgh", on);
  auto const watch = one.watch({"k"});
  CHECK_FALSE(read(other, {"k"}, watch, on));
  MemoryStore<HostBuffer> const memory;
  memory.write({"k"}, test::view(test::bytes("efgh")), on);
  CHECK_FALSE(read(memory, {"k"}, watch, on));
  CHECK_FALSE(read(memory, {"k"}, memory.watch({"k"}), on));
}

TEST_CASE("who writes into a watched file is noticed") {
  test::TemporaryFolder const folder;
  HostQueue on{1};
  Local const store{folder / ""};
  write(store, {"k"}, "abcd", on);
  auto const watch = store.watch({"k"});
  std::ofstream{folder / "k", std::ios::app} << "more";
  CHECK_FALSE(watch.is_unchanged());
  CHECK(read(store, {"k"}, watch, on) == "abcd");
}

TEST_CASE("who writes into a watched file and sets its time back, as cp -p does, is noticed") {
  test::TemporaryFolder const folder;
  HostQueue on{1};
  Local const store{folder / ""};
  write(store, {"k"}, "abcd", on);
  auto const long_ago = std::filesystem::last_write_time(folder / "k") - std::chrono::hours{1};
  auto const watch = store.watch({"k"});
  std::fstream{folder / "k", std::ios::in | std::ios::out} << "efgh";
  for (bool is_later = false; !is_later;) {  // than the clock of files can distinguish
    std::filesystem::last_write_time(folder / "k", long_ago);
    is_later = !store.watch({"k"}).version().is_same(watch.version());
  }
  CHECK_FALSE(watch.is_unchanged());
}

TEST_CASE("what is watched is found once: two reads and a look at the end are five system calls and their close") {
  test::TemporaryFolder const folder;
  HostQueue on{1};
  Local const store{folder / ""};
  write(store, {"k"}, "abcd", on);
  test::SystemCalls const calls;
  {
    auto const watch = store.watch({"k"});
    CHECK(read(store, {"k"}, watch, on) == "abcd");
    CHECK(read(store, {"k"}, watch, on) == "abcd");
    CHECK(watch.is_unchanged());
  }
  CHECK(calls.count("openat2") == 1);
  CHECK(calls.count("fstat") == 2);
  CHECK(calls.count("pread") + calls.count("preadv") == 2);
  CHECK(calls.count("close") == 1);
  CHECK(calls.made().size() == 6);
}
