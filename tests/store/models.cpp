// Every store is a store: the suite, run for each.
#include <memory_resource>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/testing/store_conformance.hpp>

using namespace tessera;
using testing::StoreValues;
using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;

namespace {

template <class Make>
void check_store(Make&& make, test::HostQueue on = test::HostQueue{}) {
  for (auto const& broken : testing::store_conformance(make, on)) FAIL_CHECK(broken);
}

// Folders, a new one for each store.
struct Folders {
  std::string next() { return folder / ("nobody/made/" + std::to_string(made++)); }
  test::TemporaryFolder folder;
  int made = 0;
};

Memory filled(StoreValues const& values) {
  Memory store;
  for (auto const& [key, value] : values) test::put(store, key, value);
  return store;
}

// Entries beside the folder of a PrefixStore: they are not shown.
Memory with_neighbours() { return filled({{"a", "not below"}, {"a/bc", "another folder"}, {"a/b.c", "not below"}}); }

}  // namespace

TEST_CASE("MemoryStore is a store") {
  check_store([] { return Memory{}; });
}

TEST_CASE("LocalStore is a store, with and without fsync") {
  Folders folders;
  check_store([&] { return Local{folders.next()}; });
  check_store([&] { return Local{folders.next(), {.fsync = true}}; });
}

TEST_CASE("stores of buffers over a memory resource are stores") {
  std::pmr::synchronized_pool_resource pool;
  Folders folders;
  check_store([] { return MemoryStore<PmrBuffer>{}; }, test::HostQueue{1, &pool});
  check_store([&] { return LocalStore<PmrBuffer>{folders.next()}; }, test::HostQueue{1, &pool});
}

TEST_CASE("a LocalStore of mapped buffers is a store: it reads into the caller's memory") {
  Folders folders;
  check_store([&] { return LocalStore<MappedBuffer>{folders.next()}; });
}

TEST_CASE("PrefixStore is a store: below a folder, the root, another one") {
  Folders folders;
  check_store([] { return PrefixStore{with_neighbours(), "a/b"}; });
  check_store([] { return PrefixStore{Memory{}, ""}; });
  check_store([&] { return PrefixStore{PrefixStore{Local{folders.next()}, "a"}, "b/c"}; });
}

TEST_CASE("ReadOnlyStore is a store that cannot be written") {
  check_store([](StoreValues const& values) { return ReadOnlyStore{filled(values)}; });
  check_store([](StoreValues const& values) { return PrefixStore{ReadOnlyStore{filled(values)}, ""}; });
  static_assert(!WritableStore<ReadOnlyStore<Memory>> && !WritableStore<PrefixStore<ReadOnlyStore<Memory>>>);
}

TEST_CASE("SplitStore is a store") {
  Folders folders;
  check_store([] { return SplitStore{Memory{}, Memory{}}; });
  check_store([&] { return SplitStore{Memory{}, Local{folders.next()}}; });
}

TEST_CASE("CastStore is a store") {
  check_store([] { return CastStore<HostBuffer, Memory>{Memory{}}; });
  check_store([](StoreValues const& values) {
    return CastStore<PmrBuffer, ReadOnlyStore<Memory>>{ReadOnlyStore{filled(values)}};
  });
}

TEST_CASE("AnyStore is a store, whatever it holds") {
  Folders folders;
  check_store([] { return AnyStore<HostBuffer>{Memory{}}; });
  check_store([&] { return AnyStore<HostBuffer>{PrefixStore{Local{folders.next()}, "a"}}; });
}
