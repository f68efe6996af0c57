// Two stores as one: which of them has a key, the requests of a batch to each, and whose locks and watches a key has.
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/routed_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/testing/store_conformance.hpp>

namespace routed_store_tests {

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;
using Words = std::vector<std::string>;

namespace {

template <class Make>
void check_store(Make&& make) {
  for (auto const& broken : testing::store_conformance(make)) FAIL_CHECK(broken);
}

// Counts the requests that arrive at once.
struct Watched : Memory {
  std::shared_ptr<std::vector<std::size_t>> reads = std::make_shared<std::vector<std::size_t>>();
  std::shared_ptr<std::vector<std::size_t>> writes = std::make_shared<std::vector<std::size_t>>();

  void get_many(std::span<ReadRequest<space::Host>> requests, test::HostQueue& on) const {
    reads->push_back(requests.size());
    for (auto& request : requests) request.size = Memory::read(*request.key, request.range, request.destination, on);
  }
  void write_many(std::span<WriteRequest<space::Host> const> requests, test::HostQueue& on) const {
    writes->push_back(requests.size());
    for (auto const& request : requests) {
      auto const held = lock(*request.key);
      write(*request.key, request.value, on);
    }
  }
};

// The results of a batch of reads.
template <class S>
Words values(S const& store, std::vector<Key> const& keys) {
  test::HostQueue on;
  std::vector<std::string> found(keys.size());
  struct Room {
    std::string* text;
    test::HostSpan operator()(std::size_t n) const {
      text->resize(n);
      return {reinterpret_cast<std::byte*>(text->data()), n};
    }
  };
  std::vector<Room> rooms;
  for (auto& text : found) rooms.push_back({&text});
  std::vector<ReadRequest<space::Host>> requests;
  for (std::size_t i = 0; i < keys.size(); ++i) requests.push_back({&keys[i], {}, rooms[i]});
  get_many(store, std::span{requests}, on);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CHECK(requests[i].size.value_or(0) == found[i].size());
    if (!requests[i].size) found[i] = "(missing)";
  }
  return found;
}

auto is_long(Key const& key) { return key.path.size() > 1; }

}  // namespace

TEST_CASE("RoutedStore is a store, by each rule, over stores of both kinds") {
  test::TemporaryFolder folder;
  int made = 0;
  auto const files = [&] { return Local{folder / std::to_string(made++)}; };
  auto const odd = [](Key const& key) { return key.path.size() % 2 == 1; };
  check_store([&] { return RoutedStore{Memory{}, files(), KeysBelow{"a"}}; });
  check_store([&] { return RoutedStore{files(), files(), odd}; });
  check_store([&] { return RoutedStore{Memory{}, Memory{}, odd}; });
  check_store([&] { return RoutedStore{files(), Memory{}, KeysBelow{"a"}}; });
  check_store([&] { return AnyStore<HostBuffer>{RoutedStore{files(), Memory{}, odd}}; });
  check_store([&] { return PrefixStore{RoutedStore{Memory{}, files(), odd}, "p"}; });
  check_store([&] { return RoutedStore{RoutedStore{Memory{}, Memory{}, KeysBelow{"a"}}, files(), odd}; });
  check_store([&] { return RoutedStore{WrapperStore{Memory{}}, WrapperStore{files()}, odd}; });
}

TEST_CASE("keys go where the rule says, and what it does not send to a store is hidden there") {
  Memory const first, second;
  RoutedStore const store{first, second, KeysBelow{"a/b"}};
  CHECK(store.name() == "memory store and memory store");
  for (std::string const key : {"a/b/x", "a/bc", "a/c/y", "b"}) test::put(store, key, key);
  CHECK(test::listed(first, "") == Words{"a/b/x:5"});
  CHECK(test::listed(second, "") == Words{"a/bc:4", "a/c/y:5", "b:1"});
  test::put(first, "b", "hidden"), test::put(second, "a/b/z", "hidden"), test::put(second, "a/b/x", "hidden");
  CHECK(test::value(store, "b") == "b");
  CHECK(test::value(store, "a/b/z") == "(missing)");
  CHECK(test::listed(store, "") == Words{"a/b/x:5", "a/bc:4", "a/c/y:5", "b:1"});
  CHECK(test::listed_directory(store, "a") == Words{"a/b/", "a/bc:4", "a/c/"});
  CHECK(test::listed_directory(store, "") == Words{"a/", "b:1"});
  CHECK(test::erase(store, "b"));
  CHECK_FALSE(test::erase(store, "b"));
  CHECK(test::value(first, "b") == "hidden");
}

TEST_CASE("chunks are routed by their place in the grid, in either encoding") {
  auto const upper = [](std::span<std::uint64_t const> place) { return !place.empty() && place[0] < 2; };
  ChunksWhere const rule{"g/a", upper}, root{"", upper};
  for (std::string const key : {"g/a/c/0/7", "g/a/c/1/0", "g/a/c.1.3", "g/a/0/1", "g/a/1.2"}) CHECK(rule(Key{key}));
  for (std::string const key : {"g/a/c/2/0", "g/a/c", "g/a/zarr.json", "g/a", "g/ab/c/0/0", "g/a/c/0/x", "g/a/c/",
                                "g/a/0x", "c/0/0", "g/a/c/0/1/", "g/a/99999999999999999999"})
    CHECK_FALSE(rule(Key{key}));
  for (std::string const key : {"g/a.0/0", "g/a/0x0"}) CHECK_FALSE(rule(Key{key}));
  CHECK(root(Key{"c/1/0"}));
  CHECK_FALSE(root(Key{"zarr.json"}));
  CHECK(ChunksWhere{"s", [](auto place) { return place.empty(); }}(Key{"s/c"}));
}

TEST_CASE("keys below a folder") {
  CHECK(KeysBelow{""}(Key{"a"}));
  for (std::string const key : {"a/b", "a/b/c"}) CHECK(KeysBelow{"a/b"}(Key{key}));
  for (std::string const key : {"a", "a/bc", "b"}) CHECK_FALSE(KeysBelow{"a/b"}(Key{key}));
}

TEST_CASE("what two stores say of themselves is said by one") {
  struct Told : Memory {
    std::string own;
    bool near = true, lists = true;
    std::shared_ptr<int> locked = std::make_shared<int>(0);

    explicit Told(std::string word) : own{std::move(word)} {}
    std::string name() const { return own; }
    bool is_near() const { return near; }
    bool can_list() const { return lists; }
    bool has_folder(std::string_view path) const { return path == own; }
    FolderLock lock_folder(std::string_view path, Sharing sharing) const {
      ++*locked;
      return Memory::lock_folder(path, sharing);
    }
    void list_own(std::string_view, Visitor visit) const { visit({own}); }
    void list_unfinished(std::string_view, Visitor visit) const { visit({own}); }
    std::size_t erase_unfinished(std::string_view) const { return own.size(); }
  };
  Told one{"one"}, three{"three"};
  auto const is_first = [](Key const& key) { return key.path == "one" || key.path == "g/zarr.json"; };
  RoutedStore const store{one, three, is_first};
  CHECK(store.name() == "one and three");
  CHECK(store.has_folder("one"));
  CHECK(store.has_folder("three"));
  CHECK_FALSE(store.has_folder("two"));
  Words own, unfinished;
  store.list_own("", [&](Listed const& entry) { own.emplace_back(entry.path); });
  store.list_unfinished("", [&](Listed const& entry) { unfinished.emplace_back(entry.path); });
  CHECK(own == Words{"one", "three"});
  CHECK(unfinished == Words{"one", "three"});
  CHECK(store.erase_unfinished("") == 8);
  CHECK(store.is_near());
  CHECK(store.can_list());
  for (bool const first : {false, true}) {
    Told other = first ? one : three;
    other.near = other.lists = false;
    RoutedStore const some{first ? other : one, first ? three : other, is_first};
    CHECK_FALSE(some.is_near());
    CHECK_FALSE(some.can_list());
  }
  (void)store.lock_folder("g", Sharing::shared);  // where its document is
  CHECK(*one.locked == 1);
  (void)store.lock_folder("h", Sharing::shared);
  CHECK(*three.locked == 1);
}

TEST_CASE("a batch is split in two, and each store is asked once") {
  Watched const first, second;
  RoutedStore const store{first, second, is_long};
  for (std::string const key : {"a", "bb", "c", "dd"}) test::put(store, key, "of " + key);
  CHECK(values(store, {{"a"}, {"bb"}, {"cc"}, {"c"}, {"dd"}, {"e"}}) ==
        Words{"of a", "of bb", "(missing)", "of c", "of dd", "(missing)"});
  CHECK(*first.reads == std::vector<std::size_t>{3});
  CHECK(*second.reads == std::vector<std::size_t>{3});
  CHECK(values(store, {{"a"}}) == Words{"of a"});
  CHECK(first.reads->size() == 1);  // it got no request

  test::HostQueue on;
  Key const keys[] = {{"a"}, {"bb"}, {"c"}};
  auto const bytes = test::bytes("new");
  std::vector<WriteRequest<space::Host>> requests;
  for (auto const& key : keys) requests.push_back({&key, test::view(bytes)});
  store.write_many(requests, on);
  CHECK(*first.writes == std::vector<std::size_t>{1});
  CHECK(*second.writes == std::vector<std::size_t>{2});
  CHECK(values(store, {{"a"}, {"bb"}, {"c"}}) == Words{"new", "new", "new"});
}

TEST_CASE("a batch tells of each value whether it is the watched one") {
  test::TemporaryFolder folder;
  test::HostQueue on;
  RoutedStore const store{Local{folder / "1"}, Local{folder / "2"}, is_long};
  Key const keys[] = {{"a"}, {"bb"}};
  for (auto const& key : keys) test::put(store, key.path, "of " + key.path);
  for (auto const& key : keys) {
    auto const watch = store.watch(key);
    std::string found(32, ' ');
    auto const room = [&](std::size_t n) { return test::HostSpan{reinterpret_cast<std::byte*>(found.data()), n}; };
    ReadRequest<space::Host> request{&key, {}, room};
    request.watch = &watch;
    get_many(store, std::span{&request, 1}, on);
    CHECK(request.size == key.path.size() + 3);
    CHECK(request.is_of_watch);
  }
}

TEST_CASE("an append to a store that does not append is none") {
  Memory const second;
  test::HostQueue on;
  auto const bytes = test::bytes("45");
  RoutedStore const store{WrapperStore{Memory{}}, second, is_long};  // the first one does not append
  test::put(store, "kk", "1"), test::put(store, "s", "1");
  CHECK_FALSE(store.append({"kk"}, test::view(bytes), 1, on));
  CHECK(store.append({"s"}, test::view(bytes), 1, on));
  CHECK(test::value(store, "kk") == "1");
  CHECK(test::value(second, "s") == "145");
}

TEST_CASE("locks and watches are those of the store that has the key") {
  Memory const first, second;
  RoutedStore const store{first, second, is_long};
  auto const mutex_of = [](auto const& of, std::string const& key) { return KeyLock{of.lock({key})}.mutex(); };
  CHECK(mutex_of(store, "kk") == mutex_of(first, "kk"));
  CHECK(mutex_of(store, "k") == mutex_of(second, "k"));
  test::put(store, "kk", "1");
  CHECK(store.watch({"kk"}).version().is_there);
  CHECK(store.watch({"kk"}).version().is_same(first.watch({"kk"}).version()));
  CHECK_FALSE(store.watch({"k"}).version().is_there);
  CHECK(&store.changes({"kk"}) == &first.changes({"kk"}));
  CHECK(&store.changes({"k"}) == &second.changes({"k"}));
}

TEST_CASE("copies share the locks of keys whose store has none") {
  struct Bare {
    using buffer_type = HostBuffer;
    Memory values{};

    std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> to,
                                    test::HostQueue& on) const {
      return values.read(key, range, to, on);
    }
  };
  Memory const locked;
  RoutedStore const store{Bare{}, locked, is_long};
  auto const copy = store;
  auto const mutex_of = [](auto const& of, std::string const& key) { return KeyLock{of.lock({key})}.mutex(); };
  CHECK(mutex_of(store, "kk") != nullptr);
  CHECK(mutex_of(store, "kk") == mutex_of(copy, "kk"));
  CHECK(mutex_of(store, "k") == mutex_of(locked, "k"));
  CHECK(&store.changes({"kk"}) == &copy.changes({"kk"}));
  CHECK(&store.changes({"k"}) == &locked.changes({"k"}));
  auto const held = store.lock({"kk"});
  std::thread{[&, mutex = held.mutex()] { CHECK_FALSE(mutex->try_lock()); }}.join();
  (void)store.lock({"k"});  // of another store: it waits for nothing
}

}  // namespace routed_store_tests
