// Two stores as one: which of them has a key, what of a batch each is asked, and what moves from one to the other.
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/prefix_store.hpp>
#include <tessera/store/read_only_store.hpp>
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

// Says how many requests came at once, and calls a function when it has found nothing.
struct Watched : Memory {
  std::shared_ptr<std::vector<std::size_t>> reads = std::make_shared<std::vector<std::size_t>>();
  std::shared_ptr<std::vector<std::size_t>> writes = std::make_shared<std::vector<std::size_t>>();
  std::shared_ptr<std::function<void()>> missed = std::make_shared<std::function<void()>>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> to,
                                  test::HostQueue& on) const {
    auto const found = Memory::read(key, range, to, on);
    if (!found && *missed) std::exchange(*missed, {})();
    return found;
  }
  void get_many(std::span<ReadRequest<space::Host>> requests, test::HostQueue& on) const {
    reads->push_back(requests.size());
    for (auto& request : requests) request.size = Memory::read(*request.key, request.range, request.destination, on);
    if (*missed) std::exchange(*missed, {})();
  }
  void write_many(std::span<WriteRequest<space::Host> const> requests, test::HostQueue& on) const {
    writes->push_back(requests.size());
    for (auto const& request : requests) {
      auto const held = lock(*request.key);
      write(*request.key, request.value, on);
    }
  }
};

// What a batch of reads answers.
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
  auto const odd_size = [](Key const&, std::uint64_t size) { return size % 2 == 1; };
  check_store([&] { return RoutedStore{Memory{}, files(), KeysBelow{"a"}}; });
  check_store([&] { return RoutedStore{files(), files(), odd}; });
  check_store([&] { return RoutedStore{Memory{}, Memory{}, SmallerThan{2}}; });
  check_store([&] { return RoutedStore{files(), Memory{}, odd_size}; });
  check_store([&] { return RoutedStore{files(), files(), SmallerThan{1 << 16}}; });
  check_store([&] { return AnyStore<HostBuffer>{RoutedStore{files(), Memory{}, odd}}; });
  check_store([&] { return PrefixStore{RoutedStore{Memory{}, files(), SmallerThan{2}}, "p"}; });
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

TEST_CASE("keys below a folder, and values of fewer bytes") {
  CHECK(KeysBelow{""}(Key{"a"}));
  for (std::string const key : {"a/b", "a/b/c"}) CHECK(KeysBelow{"a/b"}(Key{key}));
  for (std::string const key : {"a", "a/bc", "b"}) CHECK_FALSE(KeysBelow{"a/b"}(Key{key}));
  CHECK(SmallerThan{4}(Key{"a"}, 3));
  CHECK_FALSE(SmallerThan{4}(Key{"a"}, 4));
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
  (void)RoutedStore{one, three, SmallerThan{4}}.lock_folder("h", Sharing::shared);
  CHECK(*one.locked == 2);
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
  CHECK(first.reads->size() == 1);  // nothing was for it

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
  auto const check = [&](auto const& store) {
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
  };
  check(RoutedStore{Local{folder / "1"}, Local{folder / "2"}, is_long});
  check(RoutedStore{Local{folder / "3"}, Local{folder / "4"}, SmallerThan{5}});
}

TEST_CASE("by size, the second store is asked for what the first one lacks") {
  Watched const first, second;
  RoutedStore const store{first, second, SmallerThan{4}};
  test::put(store, "small", "123"), test::put(store, "large", "12345");
  CHECK(test::value(first, "small") == "123");
  CHECK(test::value(second, "large") == "12345");
  CHECK(values(store, {{"small"}, {"large"}, {"none"}}) == Words{"123", "12345", "(missing)"});
  CHECK(*first.reads == std::vector<std::size_t>{3, 1});  // what neither has may have moved there meanwhile
  CHECK(*second.reads == std::vector<std::size_t>{2});
}

TEST_CASE("a value that gets another size moves, and is in one store alone") {
  test::TemporaryFolder folder;
  Memory const first;
  Local const second{folder.path().string()};
  RoutedStore const store{first, second, SmallerThan{4}};
  test::put(store, "k", "12345"), test::put(store, "k", "1");
  CHECK(test::value(first, "k") == "1");
  CHECK(test::value(second, "k") == "(missing)");
  test::put(store, "k", "123456");
  CHECK(test::value(first, "k") == "(missing)");
  CHECK(test::value(second, "k") == "123456");
  CHECK(test::listed(store, "") == Words{"k:6"});
  test::put(first, "k", "1");  // as a program leaves it that ended between its write and its erase
  CHECK(test::value(store, "k") == "1");
  CHECK(test::listed(store, "") == Words{"k:1"});
  CHECK(test::erase(store, "k"));
  CHECK(test::value(store, "k") == "(missing)");
  CHECK(values(store, {{"k"}}) == Words{"(missing)"});  // though it has moved
}

TEST_CASE("by size, a value is there before the other store loses it, and an old one goes before what hides it") {
  struct Erasing : Memory {
    std::shared_ptr<std::function<void()>> erasing = std::make_shared<std::function<void()>>();
    bool erase(Key const& key, test::HostQueue& on) const {
      if (*erasing) (*erasing)();
      return Memory::erase(key, on);
    }
  };
  Erasing const first, second;
  RoutedStore const store{first, second, SmallerThan{4}};
  int asked = 0;
  for (auto const* value : {"1", "12345", "2"}) {
    *first.erasing = *second.erasing = [&] {
      ++asked;
      CHECK(test::value(value[1] ? second : first, "k") == value);
    };
    test::put(store, "k", value);
  }
  CHECK(asked == 3);
  *second.erasing = {};
  test::put(second, "k", "12345");  // as a program leaves it that ended between its write and its erase
  *first.erasing = [&] { CHECK(test::value(second, "k") == "(missing)"); };
  CHECK(test::erase(store, "k"));
}

TEST_CASE("who reads while a value moves to the store that he has looked in finds it") {
  Watched const first, second;
  RoutedStore const store{first, second, SmallerThan{4}};
  auto const move = [&] { test::put(store, "k", "1"); };
  test::put(store, "k", "12345");
  *first.missed = move;
  CHECK(values(store, {{"k"}, {"none"}}) == Words{"1", "(missing)"});
  CHECK(*first.reads == std::vector<std::size_t>{2, 2});  // what is found is not asked for again
  test::put(store, "k", "12345");
  *first.missed = move;
  CHECK(test::value(store, "k") == "1");
}

TEST_CASE("by size, who reads while another RoutedStore moves a value finds it, wherever it goes") {
  Watched const first, second;
  RoutedStore const reader{first, second, SmallerThan{4}}, writer{first, second, SmallerThan{4}};
  for (auto const& [before, after] : {std::pair{"12345", "1"}, std::pair{"1", "12345"}, std::pair{"1", "2"}}) {
    for (auto const* missing : {&first, &second}) {
      auto const move = [&, value = after] { test::put(writer, "k", value); };
      test::put(writer, "k", before);
      *missing->missed = move;
      auto const found = values(reader, {{"k"}}).front();
      CHECK((found == before || found == after));
      test::put(writer, "k", before);
      *missing->missed = move;
      auto const again = test::value(reader, "k");
      CHECK((again == before || again == after));
      test::put(writer, "k", before);
      *missing->missed = move;
      CHECK(reader.watch({"k"}).version().is_there);
      *missing->missed = {};
    }
  }
}

TEST_CASE("by size, who reads while a value moves to the store that he has looked in, and back, finds it") {
  Watched const first, second;
  RoutedStore const store{first, second, SmallerThan{4}};
  auto const begin = [&] {
    test::put(store, "k", "12345");
    *first.missed = [&] { test::put(store, "k", "1"); };
    *second.missed = [&] { test::put(store, "k", "12345"); };
  };
  begin();
  CHECK(test::value(store, "k") == "12345");
  begin();
  CHECK(values(store, {{"k"}, {"none"}}) == Words{"12345", "(missing)"});
}

TEST_CASE("by size, who finds no value does not look again because others move") {
  Watched const first, second;
  RoutedStore const store{first, second, SmallerThan{4}};
  Key const none{"none"};
  Key other{"other"};
  while (KeyLocks::number(other) == KeyLocks::number(none)) other.path += "'";
  std::size_t left = 100;
  std::function<void()> const move = [&] {
    test::put(store, other.path, --left % 2 == 0 ? "1" : "12345");
    if (left > 0) *first.missed = move;
  };
  *first.missed = move;
  CHECK(values(store, {none}) == Words{"(missing)"});
  CHECK(first.reads->size() == 2);
  CHECK(test::value(store, "none") == "(missing)");
  CHECK(left == 96);
  *first.missed = {};
}

TEST_CASE("an append that leads over the border is none") {
  Memory const first, second;
  RoutedStore const store{first, second, SmallerThan{4}};
  test::HostQueue on;
  auto const bytes = test::bytes("45");
  test::put(store, "k", "1");
  CHECK(store.append({"k"}, test::view(bytes), 1, on));
  CHECK_FALSE(store.append({"k"}, test::view(bytes), 3, on));
  CHECK(test::value(first, "k") == "145");
  test::put(second, "k", "old");  // as a program leaves it that ended between its write and its erase
  CHECK_FALSE(store.append({"k"}, test::view(bytes), 3, on));
  CHECK(test::value(second, "k") == "old");
  RoutedStore const mixed{WrapperStore{Memory{}}, second, is_long};  // the first one does not append
  test::put(mixed, "kk", "1"), test::put(mixed, "s", "1");
  CHECK_FALSE(mixed.append({"kk"}, test::view(bytes), 1, on));
  CHECK(mixed.append({"s"}, test::view(bytes), 1, on));
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

  RoutedStore const sized{first, second, SmallerThan{4}};
  test::put(sized, "large", "12345");
  CHECK(sized.watch({"large"}).version().is_same(second.watch({"large"}).version()));
  auto* const in_first = mutex_of(first, "large");
  auto* const in_second = mutex_of(second, "large");
  auto const held = sized.lock({"large"});
  std::thread{[&] {
    CHECK_FALSE(in_first->try_lock());
    CHECK_FALSE(in_second->try_lock());
  }}.join();
  test::put(sized, "large", "1");  // under the lock of this thread
}

TEST_CASE("by size, two RoutedStores of the same stores in either order lock keys in one order") {
  test::TemporaryFolder folder;
  auto const check = [&](auto const& one, auto const& other) {
    struct Told : std::remove_cvref_t<decltype(one)> {
      std::string called;
      std::shared_ptr<std::string> order;
      auto lock(Key const& key) const {
        if (order) *order += called;
        return std::remove_cvref_t<decltype(one)>::lock(key);
      }
    };
    auto const order = std::make_shared<std::string>();
    Told const a{one, "a", order}, b{other, "b", order};
    (void)RoutedStore{a, b, SmallerThan{4}}.lock({"k"});
    auto const first = std::exchange(*order, {});
    (void)RoutedStore{b, a, SmallerThan{4}}.lock({"k"});
    CHECK(first.size() == 2);
    CHECK(*order == first);
    if (one.name() != other.name()) CHECK(first == (one.name() < other.name() ? "ab" : "ba"));
    // Writes take both locks, unless this thread has them.
    RoutedStore const told{a, b, SmallerThan{4}};
    auto const locked_by = [&](auto&& f) { return order->clear(), f(), order->size(); };
    auto const write = [&] { test::put(told, "k", "1"); };
    auto const erase = [&] { test::erase(told, "k"); };
    CHECK(locked_by(write) == 2);
    CHECK(locked_by(erase) == 2);
    CHECK(locked_by([&] {
            auto const held = told.lock({"k"});
            write(), erase();
          }) == 2);
    CHECK(locked_by(write) == 2);
    RoutedStore const there{one, other, SmallerThan{4}}, back{other, one, SmallerThan{4}};
    std::vector<std::jthread> writers;
    for (auto const* store : {&there, &back})
      writers.emplace_back([=] {
        for (std::size_t i = 0; i < 50; ++i) test::put(*store, "k", i % 2 == 0 ? "12" : "12345");
      });
  };
  check(Memory{}, Memory{});
  check(Local{folder / "x"}, Local{folder / "y"});
  check(Local{folder / "y"}, Local{folder / "x"});
}

TEST_CASE("by size, where the second lock is refused the first one ends") {
  struct Refusing : Memory {
    std::shared_ptr<int> locked = std::make_shared<int>(0);
    auto lock(Key const& key) const {
      if (++*locked == 2) throw StoreError{"no lock"};
      return Memory::lock(key);
    }
  };
  Refusing first, second;
  second.locked = first.locked;
  RoutedStore const store{first, second, SmallerThan{4}};
  CHECK_THROWS_AS((void)store.lock({"k"}), StoreError);
  std::thread{[&] {
    for (auto const* one : {&first, &second}) {
      auto* const mutex = one->lock({"k"}).mutex();
      CHECK(mutex->try_lock());
      mutex->unlock();
    }
  }}.join();
}

TEST_CASE("by size, writers of one key leave one value, whichever store it is in") {
  test::TemporaryFolder folder;
  RoutedStore const store{Memory{}, Local{folder.path().string()}, SmallerThan{4}};
  test::put(store, "k", "1");
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 4; ++writer)
      writers.emplace_back([&, writer] {
        for (int i = 0; i < 50; ++i) test::put(store, "k", (i + writer) % 2 == 0 ? "12" : "12345");
      });
    std::size_t missing = 0;
    for (int i = 0; i < 500; ++i) missing += test::value(store, "k") == "(missing)";
    CHECK(missing == 0);
  }
  CHECK(test::listed(store, "").size() == 1);
  CHECK((test::value(store.first(), "k") == "(missing)") != (test::value(store.second(), "k") == "(missing)"));
}

}  // namespace routed_store_tests
