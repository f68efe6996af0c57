// Many values written at once: together if a store can, and each while its key is locked.
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;
using Log = std::vector<std::string>;
using Requests = std::span<WriteRequest<space::Host> const>;

namespace {

// Notes its requests. It has no locks.
struct Told {
  using buffer_type = HostBuffer;
  Log* log;
  std::mutex* watched = nullptr;  // notes whether it is locked

  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, test::HostQueue&) const {
    return {};
  }
  void write(Key const& key, ByteView<space::Host> value, test::HostQueue&) const {
    if (key.path == "bad") throw StoreError{"no"};
    log->push_back("write " + key.path + " " + test::text(value) + (is_locked() ? ", locked" : ""));
  }
  bool erase(Key const&, test::HostQueue&) const { return false; }

 private:
  bool is_locked() const {
    bool locked = false;
    if (watched) std::thread{[&] { locked = !std::unique_lock{*watched, std::try_to_lock}; }}.join();
    return locked;
  }
};
// Has locks of a kind of its own.
struct Locked : Told {
  struct Lock {
    Log* log;
    Lock(Log* l, Key const& key) : log{l} { log->push_back("lock " + key.path); }
    Lock(Lock const&) = delete;
    ~Lock() { log->push_back("unlock"); }
  };
  Lock lock(Key const& key) const { return {log, key}; }
};
// Accepts many, with locks of the usual kind.
struct Together : Told {
  std::unique_lock<std::mutex> lock(Key const&) const { return {}; }
  void write_many(Requests requests, test::HostQueue&) const {
    log->push_back("together");
    for (auto const& request : requests) log->push_back(request.key->path + " " + test::text(request.value));
  }
};

struct Asked {
  Key const first{"a"}, second{"b"};
  std::vector<std::byte> const bytes = test::bytes("12");
  WriteRequest<space::Host> const requests[2] = {{&first, test::view(bytes).sub(0, 1)},
                                                 {&second, test::view(bytes).sub(1, 1)}};
};

}  // namespace

TEST_CASE("a store that takes no more than one value is given one after the other, each under its key's lock") {
  test::HostQueue on;
  Asked const asked;
  Log log;
  write_many(Told{&log}, asked.requests, on);
  CHECK(log == Log{"write a 1", "write b 2"});
  log.clear();
  Log const locked{"lock a", "write a 1", "unlock", "lock b", "write b 2", "unlock"};
  write_many(Locked{{&log}}, asked.requests, on);
  CHECK(log == locked);
  KeyLocks locks;
  log.clear();
  write_many(Locked{{&log}}, asked.requests, on, locks);
  CHECK(log == locked);
  log.clear();
  auto* const mutex = locks.lock(asked.second).mutex();
  REQUIRE(mutex != locks.lock(asked.first).mutex());
  write_many(Told{&log, mutex}, asked.requests, on, locks);
  CHECK(log == Log{"write a 1", "write b 2, locked"});
}

TEST_CASE("requests to write that come together are passed on together") {
  test::HostQueue on;
  Asked const asked;
  Log log;
  Together const store{{&log}};
  auto const check = [&](auto const& given, std::string const& folder) {
    log.clear();
    KeyLocks locks;
    write_many(given, asked.requests, on);
    write_many(given, asked.requests, on, locks);
    Log const once{"together", folder + "a 1", folder + "b 2"};
    Log twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    CHECK(log == twice);
  };
  check(store, "");
  check(PrefixStore{store, "c/d"}, "c/d/");
  check(PrefixStore{store, ""}, "");
  check(SplitStore{Memory{}, store}, "");
  check(AnyStore<HostBuffer>{store}, "");
  check(AnyStore<HostBuffer>{PrefixStore{SplitStore{Memory{}, store}.chunk_store(), "e"}}, "e/");
}

TEST_CASE("around a store that takes no more than one, the locks are those that the outer one shows") {
  test::HostQueue on;
  Asked const asked;
  Log log;
  Log const locked{"lock c/a", "write c/a 1", "unlock", "lock c/b", "write c/b 2", "unlock"};
  write_many(PrefixStore{Locked{{&log}}, "c"}, asked.requests, on);
  CHECK(log == locked);
  log.clear();
  AnyStore<HostBuffer> const any{Told{&log}};  // an AnyStore has locks even if its store has none
  std::thread other;
  {
    auto const held = any.lock(asked.first);
    other = std::thread{[&] { write_many(any, asked.requests, on); }};
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
    CHECK(log.empty());
  }
  other.join();
  CHECK(log == Log{"write a 1", "write b 2"});
}

TEST_CASE("errors of many writes name key and store; what came before is written") {
  test::TemporaryFolder folder;
  test::HostQueue on;
  auto const bytes = test::bytes("12");
  Key const good{"good"}, bad{"bad"}, none{"../none"}, below{"good/x"};
  auto const both = [&](Key const& second) {
    return std::vector<WriteRequest<space::Host>>{{&good, test::view(bytes)}, {&second, test::view(bytes)}};
  };
  Log log;
  auto const requests = both(bad);
  test::check_refused<StoreError>([&] { write_many(Told{&log}, requests, on); }, {"store: ", "key \"bad\"", "no"});
  CHECK(log == Log{"write good 12"});
  Local const files{folder.path().string()};
  for (Key const& second : {none, below}) {
    auto const wrong = both(second);
    auto const named = "key \"" + second.path + "\"";
    test::check_refused<StoreError>([&] { write_many(files, wrong, on); }, {folder.path().c_str(), named.c_str()});
    CHECK(test::value(files, "good") == "12");
    CHECK(test::erase(files, "good"));
    test::check_refused<StoreError>(
        [&] {
          write_many(AnyStore<HostBuffer>{PrefixStore{files, "p"}}, wrong, on);
        },
        {folder.path().c_str(), second.path.c_str()});
  }
  test::check_refused<StoreError>([&] { write_many(AnyStore<HostBuffer>{ReadOnlyStore{Memory{}}}, requests, on); },
                                  {"memory store: ", "key \"good\"", "cannot be written"});
}
