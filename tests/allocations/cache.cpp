// A cache hit allocates nothing.
#include <vector>

#include <doctest/doctest.h>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>

#include <support/allocations.hpp>

TEST_CASE("chunks that a cache has are held without an allocation") {
  using namespace tessera;
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<float, 3>(store, "a", {.shape = {64, 64, 64}, .chunks = {16, 16, 16}});
  ChunkCache const cache{array, {.host = 1 << 20}};
  Box const some{{0, 20}, all, {7, 9}};
  auto const touched = [&] {
    float sum = 0;
    for (auto const chunk : cache.hold(some)) sum += chunk.view(0, 0, 0);
    return sum;
  };
  CHECK(touched() == 0);
  test::Allocations counted;
  auto const sum = touched();
  counted.stop();
  CHECK(sum == 0);
  CHECK(counted.news() == 0);
  CHECK(cache.statistics().hits == 8);
}
