// Values that a CachedStore keeps of another store, none of them stale.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/asked_batches.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/cached_store.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/routed_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/testing/store_conformance.hpp>

namespace cached_store_tests {

using namespace tessera;
using test::HostQueue, test::put;

namespace {

// Counts its reads, and may fail.
struct Counted : WrapperStore<MemoryStore<HostBuffer>> {
  struct Calls {
    std::size_t reads = 0;
    bool fails = false;
  };
  std::shared_ptr<Calls> calls = std::make_shared<Calls>();
  Counted() : WrapperStore{MemoryStore<HostBuffer>{}} {}
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> to, HostQueue& on) const {
    ++calls->reads;
    auto const found = source().read(key, range, to, on);
    if (calls->fails) throw StoreError{"the disk is gone"};
    return found;
  }
};

std::string got(auto const& store, std::string const& key, ByteRange range = {}) {
  HostQueue on;
  auto const value = get_value(store, {key}, on, range);
  return value ? std::string{reinterpret_cast<char const*>(value->view().data), value->view().size} : "(missing)";
}

}  // namespace

TEST_CASE("CachedStore is a store, with room for all, for some and for nothing") {
  test::TemporaryFolder folder;
  int made = 0;
  for (std::uint64_t const budget : {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{1} << 30}) {
    CAPTURE(budget);
    auto const check = [&](auto&& make) {
      for (auto const& broken : testing::store_conformance(make)) FAIL_CHECK(broken);
    };
    check([&] { return CachedStore{MemoryStore<HostBuffer>{}, budget}; });
    check([&] { return CachedStore{LocalStore<HostBuffer>{folder / std::to_string(made++)}, budget}; });
    check([&] { return AnyStore<HostBuffer>{CachedStore{MemoryStore<HostBuffer>{}, budget}}; });
  }
}

TEST_CASE("a value that is kept is not read again, and a range is kept by itself") {
  Counted const behind;
  CachedStore const store{behind, 100};
  put(store, "a", "0123456789");
  for (int i = 0; i < 3; ++i) {
    CHECK(got(store, "a") == "0123456789");
    CHECK(got(store, "a", {2, 3}) == "234");
    CHECK(got(store, "a", ByteRange::suffix(2)) == "89");
    CHECK(got(store, "none") == "(missing)");
  }
  CHECK(behind.calls->reads == 3 + 3);  // missing values are not cached
  CHECK(store.statistics().hits == 6);
  CHECK(store.statistics().misses == 3);
  CHECK(store.statistics().bytes == 15);
  HostQueue on;
  CHECK(store.size({"a"}, on) == 10);
  auto const one = store.lend({"a"}, {}, on), other = store.lend({"a"}, {}, on);
  CHECK(one->bytes.data == other->bytes.data);
  store.clear();
  CHECK(store.statistics().bytes == 0);
  CHECK(std::to_integer<char>(one->bytes.data[9]) == '9');  // the reader's
  CHECK(got(CachedStore{store}, "a") == "0123456789");
  CHECK(store.statistics().bytes == 10);  // copies share it
}

TEST_CASE("the least recently used goes, and the budget holds to the byte") {
  Counted const behind;
  CachedStore const store{behind, 30};
  for (auto const* key : {"a", "b", "c", "d"}) put(behind, key, std::string(10, *key));
  put(behind, "large", std::string(31, 'x'));
  for (auto const* key : {"a", "b", "c", "a", "d"}) CHECK(got(store, key) == std::string(10, *key));
  CHECK(store.statistics().bytes == 30);
  auto const before = behind.calls->reads;
  for (auto const* key : {"a", "c", "d"}) CHECK(got(store, key) == std::string(10, *key));
  CHECK(behind.calls->reads == before);
  CHECK(got(store, "large") == std::string(31, 'x'));
  CHECK(store.statistics().bytes == 30);  // a value larger than the budget evicts nothing
  CHECK(got(store, "b") == std::string(10, 'b'));
  CHECK(behind.calls->reads == before + 2);
  CHECK(got(store, "a") == std::string(10, 'a'));  // used longest ago: it was evicted
  CHECK(behind.calls->reads == before + 3);
}

TEST_CASE("a read that fails keeps nothing and takes no room") {
  Counted const behind;
  CachedStore const store{behind, 10};
  put(behind, "a", "0123456789");
  behind.calls->fails = true;
  CHECK_THROWS_AS((void)got(store, "a"), StoreError);
  CHECK(store.statistics().bytes == 0);
  behind.calls->fails = false;
  CHECK(got(store, "a") == "0123456789");
  CHECK(got(store, "a") == "0123456789");
  CHECK(store.statistics().hits == 1);
}

TEST_CASE("what a batch lacks is one batch of the store behind: nothing twice, and nothing that is kept") {
  test::AskedBatches const behind{MemoryStore<HostBuffer>{}};
  CachedStore const store{behind, 100};
  for (auto const* key : {"a", "b", "c"}) put(behind, key, std::string(10, *key));
  CHECK(got(store, "b") == "bbbbbbbbbb");
  CHECK(behind.batches() == "b");
  HostQueue on;
  auto const ask = [&](std::vector<std::string> const& keys) {
    std::vector<Key> names;
    for (auto const& key : keys) names.push_back({key});
    std::vector<LendRequest<space::Host>> loans;
    for (auto const& name : names) loans.push_back({&name, {}});
    lend_many(store, std::span{loans}, on);
    std::string found;
    for (auto const& loan : loans) found += loan.lent ? test::text(loan.lent->bytes).substr(0, 2) : "-";
    return found;
  };
  CHECK(ask({"c", "a", "b", "none", "a"}) == "ccaabb-aa");
  CHECK(behind.batches() == "a, c, none");
  CHECK(ask({"c", "a", "b"}) == "ccaabb");
  CHECK(behind.batches().empty());
  CHECK(store.statistics().hits == 4);
  CHECK(store.statistics().misses == 3);
  CHECK(store.statistics().bytes == 30);
}

TEST_CASE("ranges of one value are one batch, too, and its version is asked for once") {
  test::AskedBatches const behind{MemoryStore<HostBuffer>{}};
  CachedStore const store{behind, 100};
  put(behind, "a", "0123456789");
  HostQueue on;
  Key const a{"a"};
  std::string to(8, ' ');
  auto const room = [&](std::size_t at) {
    return [&to, at](std::size_t n) { return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(to.data()) + at, n}; };
  };
  auto first = room(0), second = room(3), third = room(5);
  std::vector<ReadRequest<space::Host>> requests{{&a, {6, 3}, first}, {&a, {1, 2}, second}, {&a, {6, 3}, third}};
  behind.asked->versions = 0;
  get_many(store, std::span{requests}, on);
  CHECK(to == "67812678");
  CHECK(behind.batches() == "a 1+2, a 6+3");
  CHECK(behind.asked->versions == 1);
  CHECK(store.statistics().bytes == 5);
}

TEST_CASE("a batch that fails keeps nothing of it and takes no room; what was kept stays") {
  test::AskedBatches const behind{MemoryStore<HostBuffer>{}};
  CachedStore const store{behind, 100};
  for (auto const* key : {"a", "b", "c"}) put(behind, key, std::string(10, *key));
  CHECK(got(store, "c") == "cccccccccc");
  HostQueue on;
  std::vector<Key> const names{{"a"}, {"b"}, {"c"}};
  auto const lend_all = [&] {
    std::vector<LendRequest<space::Host>> loans;
    for (auto const& name : names) loans.push_back({&name, {}});
    lend_many(store, std::span{loans}, on);
    return loans.size();
  };
  behind.asked->fails = "b";
  test::check_refused<StoreError>([&] { lend_all(); }, {"key \"b\"", "the disk is gone"});
  CHECK(store.statistics().bytes == 10);
  CHECK(behind.batches() == "c; a, b");
  behind.asked->fails.clear();
  CHECK(lend_all() == 3);
  CHECK(behind.batches() == "a, b");
  CHECK(store.statistics().bytes == 30);
}

TEST_CASE("a batch that is larger than the budget is right, and the budget holds") {
  test::AskedBatches const behind{MemoryStore<HostBuffer>{}};
  CachedStore const store{behind, 25};
  HostQueue on;
  std::vector<Key> names;
  std::vector<LendRequest<space::Host>> loans;
  for (char key = 'a'; key < 'k'; ++key) {
    put(behind, {key}, std::string(10, key));
    names.push_back({std::string{key}});
  }
  for (auto const& name : names) loans.push_back({&name, {}});
  for (int round = 0; round < 3; ++round) {
    lend_many(store, std::span{loans}, on);
    for (auto const& loan : loans) CHECK(test::text(loan.lent->bytes) == std::string(10, loan.key->path[0]));
    CHECK(store.statistics().bytes == 20);
  }
}

TEST_CASE("what a read of an array lacks is one batch, also behind stores that choose keys") {
  ReadOptions const together{.mini_batch = every_chunk};
  auto const check = [&](auto const& around) {
    MemoryStore<HostBuffer> const values;
    test::AskedBatches const behind{values};
    auto const written = create_array<std::int32_t, 1>(values, "n/a", {.shape = {64}, .chunks = {8}});
    std::vector<std::int32_t> numbers(64);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i + 1);
    written.write(all, numbers);
    auto const array = around(CachedStore{behind, 1 << 10}, values);
    std::vector<std::int32_t> found(64);
    array.read({{16, 32}}, std::span{found}.subspan(16, 16), together);
    CHECK(behind.batches() == "n/a/c/2, n/a/c/3");
    array.read(all, found, together);
    CHECK(found == numbers);
    CHECK(behind.batches() == "n/a/c/0, n/a/c/1, n/a/c/4, n/a/c/5, n/a/c/6, n/a/c/7");
    array.read(all, found, together);
    CHECK(behind.batches().empty());
  };
  auto const open = [](auto const& store, char const* path = "n/a") {
    return open_array<std::int32_t, 1>(store, path, HostQueue{});
  };
  using Memory = MemoryStore<HostBuffer>;
  check([&](auto const& cached, Memory const& values) { return open(SplitStore{values, cached}); });
  check([&](auto const& cached, Memory const& values) { return open(ReadOnlyStore{SplitStore{values, cached}}); });
  check([&](auto const& cached, Memory const& values) {
    return open(PrefixStore{SplitStore{values, cached}, "n"}, "a");
  });
  check([&](auto const& cached, Memory const& values) {
    return open(RoutedStore{cached, values, KeysBelow{"n/a/c"}});
  });
  check([&](auto const& cached, Memory const& values) {
    return open(SplitStore{values, AnyStore<HostBuffer>{cached}});  // which copies, and does not lend
  });
}

TEST_CASE("what anybody writes is seen, in memory and in files") {
  test::TemporaryFolder folder;
  auto const check = [](auto const& behind) {
    CachedStore const store{behind, 1 << 20};
    for (int i = 0; i < 50; ++i) {
      auto const text = std::to_string(i % 10);  // of the same size
      i % 2 == 0 ? put(behind, "a", text) : put(store, "a", text);
      CHECK(got(store, "a") == text);
      CHECK(got(store, "a") == text);
    }
    CHECK(store.statistics().bytes <= 1);  // one version of it
    HostQueue on;
    CHECK(behind.erase({"a"}, on));
    CHECK(got(store, "a") == "(missing)");
  };
  check(MemoryStore<HostBuffer>{});
  check(LocalStore<HostBuffer>{folder.path().string()});
}

TEST_CASE("a key has another version in each store in memory") {
  MemoryStore<HostBuffer> const one, other;
  put(one, "a", "abc"), put(other, "a", "abc");
  CHECK_FALSE(one.watch({"a"}).version().is_same(other.watch({"a"}).version()));
}

TEST_CASE("threads read and write through it: nobody finds what he wrote before") {
  MemoryStore<HostBuffer> const behind;
  CachedStore const store{behind, 400};
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (std::size_t n = 0; n < wrong.size(); ++n)
    threads.emplace_back([&, n] {
      auto const own = std::to_string(n);
      for (int i = 0; i < 300; ++i) {
        auto const text = std::string(100, static_cast<char>('a' + i % 26));
        put(store, own, text);
        for (auto const& key : {own, std::string{"shared"}, own}) {
          auto const found = got(store, key);
          if (key == own) wrong[n] += found != text;
        }
        put(store, "shared", text);
        wrong[n] += store.statistics().bytes > 400;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(wrong.size()));
}

}  // namespace cached_store_tests
