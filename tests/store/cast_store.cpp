#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

TEST_CASE("a CastStore reads the values of the store behind it") {
  MemoryStore<HostBuffer> const source;
  CastStore<HostBuffer, MemoryStore<HostBuffer>> const store{source};
  test::put(source, "k", "0123456789");
  test::put(source, "empty", "");
  CHECK(test::value(store, "k") == "0123456789");
  CHECK(test::value(store, "k", {2, 3}) == "234");
  CHECK(test::value(store, "empty") == "");
  CHECK(test::value(store, "missing") == "(missing)");
  CHECK(store.name() == source.name());
  test::check_refused<StoreError>([&] { test::value(store, "k", {11, 1}); }, {"key \"k\"", "byte 11"});
}

TEST_CASE("updates through a CastStore and through the store behind it are kept apart by the same locks") {
  MemoryStore<HostBuffer> const source;
  CastStore<HostBuffer, MemoryStore<HostBuffer>> const store{source};
  Key const key{"a/c/0"};
  auto const* behind = source.lock(key).mutex();
  CHECK(store.lock(key).mutex() == behind);
}
