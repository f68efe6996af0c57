// Stores made from other stores: the members that they forward, and those that they hide.
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

using namespace tessera;
using test::check_refused;
using Memory = MemoryStore<HostBuffer>;

namespace {

// Counts the requests that arrive together.
struct Counting : Memory {
  std::size_t* together;
  explicit Counting(std::size_t& count) : together{&count} {}
  void get_many(std::span<ReadRequest<space::Host>> requests, test::HostQueue& on) const {
    *together = requests.size();
    for (auto& request : requests) request.size = read(*request.key, request.range, request.destination, on);
  }
};

// Neither written nor listed, without a name and locks.
struct Bare {
  using buffer_type = HostBuffer;
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, test::HostQueue&) const {
    return std::nullopt;
  }
};

template <class S>
std::mutex* mutex_of(S const& store, std::string const& key) {
  return store.lock({key}).mutex();  // and free again
}

template <class S>
void check_together(S const& store, std::size_t const& together) {
  test::HostQueue on;
  std::string bytes(4, '?');
  auto const at = [&](std::size_t place) {
    return [&bytes, place](std::size_t n) {
      return test::HostSpan{reinterpret_cast<std::byte*>(bytes.data()) + place, n};
    };
  };
  Key const key{"k"}, missing{"missing"};
  auto const first = at(0), second = at(2);
  ReadRequest<space::Host> requests[] = {{&key, {0, 2}, first}, {&missing, {}, first, 5}, {&key, {8}, second}};
  get_many(store, std::span{requests}, on);
  CHECK(together == 3);
  CHECK(requests[0].size == 2);
  CHECK_FALSE(requests[1].size);
  CHECK(requests[2].size == 2);
  CHECK(bytes == "0189");
}

}  // namespace

TEST_CASE("requests that come together are passed on together") {
  std::size_t together = 0;
  Counting const store{together};
  test::put(store, "k", "0123456789");
  test::put(store, "a/b/k", "0123456789");
  check_together(PrefixStore{store, "a/b"}, together), together = 0;
  check_together(PrefixStore{store, ""}, together), together = 0;
  check_together(ReadOnlyStore{store}, together), together = 0;
  check_together(SplitStore{Memory{}, store}, together), together = 0;
  check_together(AnyStore<HostBuffer>{store}, together), together = 0;
  check_together(AnyStore<HostBuffer>{PrefixStore{PrefixStore{ReadOnlyStore{store}, "a"}, "b"}}, together);
}

TEST_CASE("a PrefixStore shows what is below its folder, and writes there") {
  Memory const memory;
  test::put(memory, "a/b/k", "below");
  test::put(memory, "a/bc", "beside");
  PrefixStore const store{memory, "a/b"};
  CHECK(store.name() == "memory store/a/b");
  CHECK(test::value(store, "k") == "below");
  CHECK(test::value(store, "c") == "(missing)");
  CHECK(test::listed(store, "") == std::vector<std::string>{"k:5"});
  test::put(store, "new/k", "x");
  CHECK(test::value(memory, "a/b/new/k") == "x");
  CHECK(test::erase(store, "k"));
  CHECK(test::value(memory, "a/b/k") == "(missing)");
}

TEST_CASE("a PrefixStore's errors name the key, and its folder is a key") {
  Memory const memory;
  test::put(memory, "a/k", "0123456789");
  PrefixStore const store{memory, "a"};
  check_refused<StoreError>([&] { test::value(store, "k", {11, 1}); }, {"memory store: ", "key \"a/k\"", "byte 11"});
  check_refused<StoreError>([&] { test::value(store, "../b"); }, {"memory store/a: ", "key \"../b\"", "not a key"});
  test::HostQueue on;
  Key const key{"../b"};
  auto const destination = [](std::size_t) -> test::HostSpan { throw 1; };
  ReadRequest<space::Host> requests[] = {{&key, {}, destination}};
  check_refused<StoreError>([&] { get_many(store, std::span{requests}, on); }, {"key \"../b\"", "not a key"});
  for (std::string const folder : {"/", "a/", "..", "a/../b", "/a"})
    check_refused<StoreError>([&] { PrefixStore(memory, folder); }, {"not a key"});
}

TEST_CASE("adapters of one store share its locks") {
  Memory const memory;
  AnyStore<HostBuffer> const any{PrefixStore{memory, "a"}};
  auto* const mutex = mutex_of(memory, "a/k");
  CHECK(mutex_of(any, "k") == mutex);
  CHECK(mutex_of(SplitStore{Memory{}, memory}, "a/k") == mutex);
}

TEST_CASE("metadata of a part of a split store is that part of its metadata half") {
  Memory const documents, chunks;
  test::put(documents, "a/zarr.json", "document");
  test::put(chunks, "a/c/0", "chunk");
  PrefixStore const part{SplitStore{documents, chunks}, "a"};
  CHECK(test::value(part, "c/0") == "chunk");
  CHECK(test::value(part, "zarr.json") == "(missing)");
  CHECK(test::value(metadata_of(part), "zarr.json") == "document");
  ReadOnlyStore const fixed{part};
  CHECK(test::value(fixed, "c/0") == "chunk");
  CHECK(test::value(metadata_of(fixed), "zarr.json") == "document");
  static_assert(!WritableStore<std::remove_cvref_t<decltype(metadata_of(fixed))>>);
  PrefixStore const whole{Memory{}, ""};
  CHECK(&metadata_of(whole) == &whole);
}

TEST_CASE("what a store cannot do, an AnyStore of it refuses when it is asked") {
  AnyStore<HostBuffer> const store{ReadOnlyStore{Memory{}}}, bare{Bare{}};
  check_refused<StoreError>([&] { test::put(store, "k", "x"); }, {"memory store: ", "key \"k\"", "cannot be written"});
  check_refused<StoreError>([&] { test::erase(store, "k"); }, {"memory store: ", "key \"k\"", "cannot be written"});
  CHECK(test::listed(store, "").empty());
  check_refused<StoreError>([&] { test::listed(bare, "a"); }, {"store: ", "cannot be listed"});
  check_refused<StoreError>([&] { test::listed_directory(bare, "a"); }, {"store: ", "cannot be listed"});
  CHECK(test::value(bare, "k") == "(missing)");
  auto const copy = bare;
  CHECK(mutex_of(copy, "k") == mutex_of(bare, "k"));  // copies share locks
}

TEST_CASE("AnyStore is one type for stores chosen at run time") {
  Memory const memory;
  std::vector<AnyStore<HostBuffer>> stores{AnyStore<HostBuffer>{memory},
                                           AnyStore<HostBuffer>{PrefixStore{memory, "a"}}};
  test::put(stores[1], "k", "x");
  CHECK(test::value(stores[0], "a/k") == "x");
  CHECK(stores[0].name() == "memory store");
  CHECK(stores[1].name() == "memory store/a");
}
