#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <tessera/store/memory_store.hpp>

TEST_CASE("MemoryStore is a store") {
  test::test_store([] { return tessera::MemoryStore<tessera::HostBuffer>{}; });
}
