// Every system call of a LocalStore fails once, for every way in which it can.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/system_calls.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/local_store.hpp>

using namespace tessera;
using Local = LocalStore<HostBuffer>;

namespace {

std::size_t open_files() {
  auto const all = std::filesystem::directory_iterator{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}
bool has_proc() { return std::filesystem::exists("/proc/self/fd"); }

std::vector<std::string> unfinished(std::filesystem::path const& folder) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::recursive_directory_iterator{folder})
    if (entry.path().filename().string().starts_with(".tessera-")) names.push_back(entry.path().string());
  return names;
}

/// Lets each system call of `act(store)` fail, one after the other, and checks that it is a StoreError that names the
/// store and the key or is overcome, and that `check(store, whether it threw)` holds afterwards and with a new store.
/// No file is left open, none unfinished. `old` makes the store's first values.
template <class Old, class Act, class Check>
void each_call_fails(LocalOptions options, std::string const& key, Old&& old, Act&& act, Check&& check) {
  for (int error : {EIO, ENOSPC, EACCES, EMFILE, EINTR}) {
    if (options.fsync && error != EIO) continue;  // disks are slow
    CAPTURE(error);
    for (std::size_t k = 0;; ++k) {
      CAPTURE(k);
      test::TemporaryFolder const folder;
      bool threw = false, failed = false, done = false;
      std::string what;
      std::vector<std::string> made;
      auto const files = has_proc() ? open_files() : 0;
      {
        old(Local{folder / "root", options});
        Local const store{folder / "root", options};
        test::SystemCalls calls;
        calls.fail(k, error);
        try {
          act(store);
        } catch (StoreError const& e) {
          threw = true;
          what = e.what();
          CHECK(e.key() == key);
          CHECK(e.store() == store.name());
        }
        failed = calls.has_failed(), done = !failed;
        made = calls.made();
      }
      auto const call = failed ? made[k] : "none";
      CAPTURE(call);
      CAPTURE(what);
      if (threw && error == EINTR) CHECK((call != "write" && call != "pread" && call != "preadv" && call != "openat2"));
      if (has_proc()) CHECK(open_files() == files);
      Local const again{folder / "root", options};
      check(again, threw);
      if (std::filesystem::exists(folder / "root")) CHECK(unfinished(folder / "root").empty());
      act(again);  // the next one works
      check(again, false);
      if (done) {
        CHECK_FALSE(threw);
        CHECK(k > 0);
        break;
      }
    }
  }
}

std::string const old_value(3000, 'o'), new_value(5000, 'n');

}  // namespace

TEST_CASE("a write leaves the old value or the new, whichever of its system calls fails") {
  if (!has_proc()) MESSAGE("not run: counting open files (no /proc/self/fd)");
  for (bool sync : {false, true}) {
    CAPTURE(sync);
    each_call_fails(
        {sync}, "a/b/k", [](Local const& store) { test::put(store, "a/b/k", old_value); },
        [](Local const& store) { test::put(store, "a/b/k", new_value); },
        [](Local const& store, bool threw) {
          auto const found = test::value(store, "a/b/k");
          CHECK((found == new_value || (threw && found == old_value)));
        });
  }
}

TEST_CASE("an append leaves the old value or the longer, whichever of its system calls fails") {
  for (bool sync : {false, true}) {
    CAPTURE(sync);
    each_call_fails(
        {sync}, "a/b/k", [](Local const& store) { test::put(store, "a/b/k", old_value); },
        [](Local const& store) {
          test::HostQueue on;
          auto const more = test::bytes(new_value);
          if (!store.append({"a/b/k"}, test::view(more), old_value.size(), on))
            test::put(store, "a/b/k", old_value + new_value);
        },
        [](Local const& store, bool threw) {
          auto const found = test::value(store, "a/b/k");
          CHECK((found == (threw ? old_value : old_value + new_value)));
        });
  }
}

TEST_CASE("a first write leaves nothing or the value, whichever of its system calls fails") {
  for (bool sync : {false, true}) {
    CAPTURE(sync);
    each_call_fails(
        {sync}, "a/b/k", [](Local const&) {}, [](Local const& store) { test::put(store, "a/b/k", new_value); },
        [](Local const& store, bool threw) {
          auto const found = test::value(store, "a/b/k");
          CHECK((found == new_value || (threw && found == "(missing)")));
        });
  }
}

TEST_CASE("a read gives the value or an error, whichever of its system calls fails") {
  auto const old = [](Local const& store) { test::put(store, "a/k", old_value); };
  auto const same = [](Local const& store, bool) { CHECK(test::value(store, "a/k") == old_value); };
  each_call_fails(
      {}, "a/k", old,
      [](Local const& store) {
        auto const found = test::value(store, "a/k");
        CHECK(found == old_value);
      },
      same);
  each_call_fails(
      {}, "a/k", old,
      [](Local const& store) {
        auto const mapped = store.map({"a/k"});
        REQUIRE(mapped);
        CHECK(test::text(mapped->view()) == old_value);
      },
      same);
  each_call_fails(
      {}, "a/k", old,
      [](Local const& store) {
        test::HostQueue on;
        auto const known = value_size(store, {"a/k"}, on);
        CHECK(known == old_value.size());
        std::string two(10, '?');
        auto const half = [&](std::size_t at) {
          return [&two, at](std::size_t n) {
            return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(two.data()) + at, n};
          };
        };
        auto const first = half(0), second = half(5);
        Key const key{"a/k"};
        ReadRequest<space::Host> requests[] = {{&key, {20, 5}, first}, {&key, {100, 5}, second}};
        get_many(store, std::span{requests}, on);
        CHECK(two == "oooooooooo");
      },
      same);
}

TEST_CASE("what is missing is missing or an error, whichever system call fails") {
  auto const old = [](Local const& store) { test::put(store, "a/k", old_value); };
  each_call_fails(
      {}, "a/b", old,
      [](Local const& store) {
        auto const found = test::value(store, "a/b");
        CHECK(found == "(missing)");
      },
      [](Local const& store, bool) { CHECK(test::value(store, "a/k") == old_value); });
}

TEST_CASE("a key is erased or there, whichever system call fails") {
  for (bool sync : {false, true})
    each_call_fails(
        {sync}, "a/k", [](Local const& store) { test::put(store, "a/k", old_value); },
        [](Local const& store) { test::erase(store, "a/k"); },
        [](Local const& store, bool threw) {
          auto const found = test::value(store, "a/k");
          CHECK((found == "(missing)" || (threw && found == old_value)));
        });
}

TEST_CASE("a folder is renamed with all that is below it, or not at all, whichever system call fails") {
  for (bool sync : {false, true})
    each_call_fails(
        {sync}, "a/b",
        [](Local const& store) {
          test::put(store, "a/b/k", old_value);
          test::put(store, "a/b/c/k", "1");
        },
        [](Local const& store) { store.rename("a/b", "d/e/f"); },
        [](Local const& store, bool threw) {
          using Keys = std::vector<std::string>;
          auto const found = test::listed(store, "");
          bool const is_old = found == Keys{"a/b/c/k:1", "a/b/k:3000"};
          CHECK((found == Keys{"d/e/f/c/k:1", "d/e/f/k:3000"} || (threw && is_old)));
        });
}

TEST_CASE("empty folders go for a value, whichever system call fails") {
  each_call_fails(
      {}, "a/k",
      [](Local const& store) {
        test::put(store, "b", "1");
        for (auto const* path : {"/a/k/x/y", "/a/k/z"}) std::filesystem::create_directories(store.name() + path);
      },
      [](Local const& store) { test::put(store, "a/k", "1"); },
      [](Local const& store, bool threw) { CHECK(test::value(store, "a/k") == (threw ? "(missing)" : "1")); });
}

TEST_CASE("empty folders nested without end are refused, with few files open") {
  test::TemporaryFolder const folder;
  std::string path = folder / "k";
  for (int levels = 0; levels < 200; ++levels) path += "/d";
  REQUIRE(std::filesystem::create_directories(path));
  Local const store{folder.path()};
  test::SystemCalls const calls;
  test::check_refused<StoreError>([&] { test::put(store, "k", "x"); }, {"key \"k\"", "rename", "directory"});
  CHECK(calls.count("openat") < 100);
  CHECK(std::filesystem::is_directory(path));
}

TEST_CASE("a listing is whole or an error, whichever of its system calls fails") {
  auto const old = [](Local const& store) {
    test::put(store, "a/k", "1");
    test::put(store, "a/b/k", "22");
    std::filesystem::create_symlink("a/k", store.name() + "/link");
  };
  for (std::string const folder : {"", "a"})
    each_call_fails(
        {}, folder, old,
        [&](Local const& store) {
          auto const found = test::listed_directory(store, folder);
          // A link that cannot be inspected is listed; reading it reports the cause.
          if (folder.empty())
            CHECK((found == std::vector<std::string>{"a/", "link:1"} ||
                   found == std::vector<std::string>{"a/", "link:0"}));
          else
            CHECK(found == std::vector<std::string>{"a/b/", "a/k:1"});
        },
        [](Local const& store, bool) { CHECK(test::value(store, "a/b/k") == "22"); });
}

TEST_CASE("a read or a write that the system does in parts is whole") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    test::TemporaryFolder const folder;
    Local const store{folder.path()};
    std::string large;
    for (int i = 0; large.size() < 9000; ++i) large += std::to_string(i) + ' ';
    test::SystemCalls calls;
    calls.halve(k);
    test::put(store, "k", large);
    CHECK(test::value(store, "k") == large);
    test::HostQueue on;
    std::vector<test::Bytes> memory(9);
    std::vector<test::HostSpan> places;
    Key const key{"k"};
    auto const room = [](test::Bytes& into) {
      return [&into](std::size_t n) { return into.resize(n), test::span(into); };
    };
    std::vector<decltype(room(memory[0]))> rooms;
    for (auto& one : memory) rooms.push_back(room(one));
    std::vector<ReadRequest<space::Host>> requests;
    for (std::size_t i = 0; i < memory.size(); ++i) requests.push_back({&key, {i * 100, i % 3 * 50}, rooms[i]});
    get_many(store, std::span{requests}, on);
    for (std::size_t i = 0; i < memory.size(); ++i)
      CHECK(test::text(test::view(memory[i])) == large.substr(i * 100, i % 3 * 50));
    if (!calls.has_failed()) {
      CHECK(calls.count("write") == 1);
      CHECK(calls.count("preadv") == 1);
      break;
    }
  }
}

TEST_CASE(
    "many ranges of a key, one after the other, open it once, and are read at once where they are close together") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  test::put(store, "a", std::string(10'000, 'a'));
  test::put(store, "b", std::string(10'000, 'b'));
  test::HostQueue on;
  std::vector<std::byte> memory(100);
  auto const room = [&](std::size_t n) { return test::HostSpan{memory.data(), n}; };
  Key const a{"a"}, b{"b"}, also_a{"a"};
  // Of a: two runs, for the third range is 257 bytes after the second. Of b: one.
  ReadRequest<space::Host> requests[] = {{&a, {0, 10}, room},    {&also_a, {266, 10}, room}, {&a, {533, 10}, room},
                                         {&b, {5000, 10}, room}, {&b, {5010, 10}, room},     {&b, {4990, 10}, room},
                                         {&b, {5020, 9}, room}};
  test::SystemCalls calls;
  get_many(store, std::span{requests}, on);
  CHECK(calls.count("preadv") == 2);
  CHECK(calls.count("pread") == 1);
  CHECK(calls.count("fstat") == 2);
  CHECK(calls.count("openat2") + calls.count("openat") <= 3);  // one of them tests whether the kernel supports it
}

TEST_CASE("how far apart ranges of a file are that are read at once, and how much that is") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  std::string large;
  for (int i = 0; large.size() < 1'000'000; ++i) large += std::to_string(i) + ' ';
  test::put(store, "k", large);
  test::HostQueue on;
  Key const key{"k"};
  // Consecutive, and with gaps of 1, 5000 and 900,000 bytes.
  ByteRange const ranges[] = {{0, 10}, {10, 10}, {21, 10}, {5031, 10}, {905'041, 10}};
  auto const reads = [&](std::optional<std::uint64_t> gap, std::uint64_t most) {
    std::vector<test::Bytes> memory(5, test::Bytes(10));
    auto const room = [](test::Bytes& into) { return [&into](std::size_t) { return test::span(into); }; };
    std::vector<decltype(room(memory[0]))> rooms;
    for (auto& one : memory) rooms.push_back(room(one));
    std::vector<ReadRequest<space::Host>> requests;
    for (std::size_t i = 0; i < 5; ++i) requests.push_back({&key, ranges[i], rooms[i], {}, {}, 1, gap, most});
    test::SystemCalls calls;
    get_many(store, std::span{requests}, on);
    for (std::size_t i = 0; i < 5; ++i) CHECK(test::text(test::view(memory[i])) == large.substr(ranges[i].offset, 10));
    return calls.count("pread") + calls.count("preadv");
  };
  auto const any = ~std::uint64_t{0};
  CHECK(reads({}, any) == 3);
  CHECK(reads(0, any) == 4);
  CHECK(reads(1, any) == 3);
  CHECK(reads(4999, any) == 3);
  CHECK(reads(5000, any) == 2);
  CHECK(reads(any, any) == 2);  // that many bytes are not read needlessly
  CHECK(reads(any, 5041) == 2);
  CHECK(reads(any, 5040) == 3);
  CHECK(reads(any, 31) == 3);
  CHECK(reads(any, 30) == 4);
  CHECK(reads(any, 1) == 5);
}

TEST_CASE("with fsync a value is on the disk before it has its name, and its name before write returns") {
  using Names = std::vector<std::string>;
  test::TemporaryFolder const folder;
  Local const plain{folder.path()}, store{folder.path(), {.fsync = true}};
  auto const calls_of = [](auto&& act) {
    test::SystemCalls calls;
    act();
    Names names;
    for (auto const& name : calls.made())
      if (name != "openat2" && name != "openat" && name != "fstat" && name != "fstatat") names.push_back(name);
    std::erase(names, "close"), std::erase(names, "flock");
    return names;
  };
  test::put(store, "a/k", "1"), test::put(plain, "k", "1");
  CHECK((calls_of([&] { test::put(store, "a/k", "2"); }) == Names{"write", "fsync", "renameat2", "renameat", "fsync"}));
  CHECK((calls_of([&] { test::put(store, "b/c/k", "2"); }) ==
         Names{"mkdirat", "fsync", "mkdirat", "fsync", "write", "fsync", "renameat2", "fsync"}));
  CHECK((calls_of([&] { test::erase(store, "a/k"); }) == Names{"unlinkat", "fsync", "unlinkat"}));
  CHECK((calls_of([&] { test::put(plain, "k", "2"); }) == Names{"write", "renameat2", "renameat"}));
  CHECK((calls_of([&] { test::erase(plain, "k"); }) == Names{"unlinkat"}));
  auto const append = [](Local const& to) {
    test::HostQueue on;
    auto const more = test::bytes("3");
    CHECK(to.append({"b/c/k"}, test::view(more), 1, on));
  };
  CHECK((calls_of([&] { append(store); }) == Names{"write", "fsync"}));
  test::put(plain, "b/c/k", "2");
  CHECK((calls_of([&] { append(plain); }) == Names{"write"}));
}

TEST_CASE("names of unfinished values are no keys") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  for (std::string const key : {".tessera-1-0", "a/.tessera-x"})
    test::check_refused<StoreError>([&] { test::put(store, key, "x"); }, {key.c_str(), "unfinished"});
  test::put(store, "a/.tessera-folder/k", "a folder may have the name");
  CHECK(test::listed(store, "") == std::vector<std::string>{"a/.tessera-folder/k:26"});
}

TEST_CASE("a root that somebody makes while it is looked for is found") {
  test::TemporaryFolder const folder;
  test::put(Local{folder / "root"}, "key", "value");
  Local const store{folder / "root"};
  std::string found;
  {
    test::SystemCalls calls;
    calls.fail(0, ENOENT);  // it was missing, and now exists
    found = test::value(store, "key");
    CHECK(calls.made().at(0) == "open");
    CHECK(calls.count("open") == 2);
  }
  CHECK(found == "value");
}

TEST_CASE("a file that another store makes while its key is locked is locked, or the lock fails") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()}, other{folder.path(), {.patience = std::chrono::seconds{0}}};
  test::put(store, "key", "value");
  std::size_t opens = 0;  // the call that opens the file
  {
    test::SystemCalls calls;
    static_cast<void>(store.lock({"key"}));
    auto const& made = calls.made();
    opens = static_cast<std::size_t>(std::ranges::find(made, "flock") - made.begin());
    while (opens > 0 && made[--opens] != "openat") continue;
    REQUIRE(made.at(opens) == "openat");
  }
  for (int error : {ENOENT, EMFILE}) {
    CAPTURE(error);
    test::SystemCalls calls;
    calls.fail(opens, error);  // it was missing, and now exists; or too many files are open
    try {
      auto const held = store.lock({"key"});
      CHECK(calls.has_failed());
      CHECK_THROWS_AS(static_cast<void>(other.lock({"key"})), StoreError);
    } catch (StoreError const&) {
      CHECK(error == EMFILE);
    }
  }
}
