// The cost of a cache for the device: a hit nothing, a miss two calls more than the read of its chunks, a spill and a
// return one copy for all adjacent chunks.
#include <device/cache/cached.hpp>

namespace cache_counts_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_array, test::cached_chunk, test::under_seeds;

TEST_CASE("a hit costs no call of CUDA's, on the cache's queue and on another") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}}, other{HostQueue{}};
    ChunkCache const cache{cached_array({64, 64}, on), {.device = 16 * cached_chunk, .host = 128 << 10}};
    (void)cache.hold(all);
    (void)cache.on(other).hold(all);
    (void)cache.hold<space::Host>(all);
    auto const before = cache.statistics();
    emulation::Watch const watch;
    for (auto const chunk : cache.hold(all)) CHECK(chunk.view.data);
    (void)cache.on(other).hold({{0, 20}, 5});
    (void)cache.hold<space::Host>(all);
    CHECK(watch.calls().empty());
    CHECK(cache.statistics().hits == before.hits + 16 + 2 + 16);
    CHECK(cache.statistics().misses == 16);
    CHECK(cache.statistics().held == 0);
  });
}

TEST_CASE("missing chunks are read by one read, and cost two calls more at most than it") {
  for (std::size_t const mini_batch : {std::size_t{every_chunk}, std::size_t{4}, std::size_t{1}})
    under_seeds(8, [mini_batch] {
      CAPTURE(mini_batch);
      DeviceQueue on{HostQueue{}};
      auto const array = cached_array({128, 64}, on);
      ReadOptions const options{.mini_batch = mini_batch, .in_flight = 1};
      std::size_t const batches = mini_batch == every_chunk ? 1 : 16 / mini_batch;
      Box const upper{{0, 64}, all}, lower{{64, 128}, all};
      auto memory = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(64 * 64), {64, 64}, on);
      array.read(upper, memory, options).wait();
      std::size_t read = 0;
      {
        emulation::Watch const watch;
        array.read(upper, memory, options).detach();
        read = watch.count();
      }
      ChunkCache const cache{array, {.device = 16 * cached_chunk}, KeepEverywhere{}, {.read = options}};
      (void)cache.hold(upper);
      (void)cache.hold(lower);
      on.wait();
      emulation::Watch const watch;
      auto const held = cache.hold(upper);
      CHECK(watch.launches() == batches);
      CHECK(watch.copies(cudaMemcpyHostToDevice) == batches);
      CHECK(watch.count() <= read + 2);
      CHECK(test::allocations(watch) == 0);
      CHECK(cache.statistics().misses == 48);
      for (auto const chunk : held) CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 64));
    });
}

TEST_CASE("chunks spill by one copy, and come back by one copy, not by a read") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({32, 64}, on), {.device = 4 * cached_chunk, .host = 64 << 10}};
    Box const first{{0, 16}, all}, second{{16, 32}, all};
    (void)cache.hold(first);
    {
      emulation::Watch const watch;
      (void)cache.hold(second);
      CHECK(watch.copies(cudaMemcpyDeviceToHost) == 1);
      CHECK(watch.copied(cudaMemcpyDeviceToHost) == 4 * cached_chunk);
    }
    CHECK(cache.statistics().spills == 4);
    {
      emulation::Watch const watch;
      auto const held = cache.hold(first);
      CHECK(watch.copies(cudaMemcpyDeviceToHost) == 1);  // the others
      CHECK(watch.copies(cudaMemcpyHostToDevice) == 1);
      CHECK(watch.copied(cudaMemcpyHostToDevice) == 4 * cached_chunk);
      for (auto const chunk : held) CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 64));
    }
    // Chunks that the host still has are not copied again.
    emulation::Watch const watch;
    (void)cache.hold(second);
    CHECK(watch.copies(cudaMemcpyDeviceToHost) == 0);
    CHECK(watch.copied(cudaMemcpyHostToDevice) == 4 * cached_chunk);
    auto const found = cache.statistics();
    CHECK(found.misses == 8);
    CHECK(found.returns == 8);
    CHECK(found.spills == 8);
    CHECK(found.to_host == 8 * cached_chunk);
    CHECK(found.to_device == 8 * cached_chunk);
    CHECK(found.copies == 4);
    CHECK(found.device_bytes == 4 * cached_chunk);
  });
}

TEST_CASE("chunks that lie side by side spill by one copy in whichever order they were used") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({32, 64}, on), {.device = 4 * cached_chunk, .host = 64 << 10}};
    (void)cache.hold({{0, 16}, all});
    for (std::uint64_t const column : std::initializer_list<std::uint64_t>{63, 15, 47, 31})
      (void)cache.hold({0, column});
    emulation::Watch const watch;
    (void)cache.hold({{16, 32}, all});
    CHECK(watch.copies(cudaMemcpyDeviceToHost) == 1);
    auto const found = cache.statistics();
    CHECK(found.hits == 4);
    CHECK(found.on_device == 4);
    CHECK(found.on_host == 4);
    (void)cache.hold({{0, 32}, {0, 16}});  // one that came back, and one that was present
    CHECK(cache.statistics().hits == 5);
  });
}

TEST_CASE("a chunk that the device has is copied for the host, unless it lies in the host's memory as it is") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({32, 32}, on), {.device = 4 * cached_chunk, .host = 64 << 10}};
    (void)cache.hold(all);
    for (auto const chunk : cache.hold<space::Host>(all)) {
      CHECK(chunk.view(1, 2) == test::expected_of(chunk, 32)[18]);
    }
    CHECK(cache.statistics().shown == 4);
    CHECK(cache.statistics().misses == 4);

    MemoryStore<HostBuffer> const store;
    auto const raw =
        create_array<std::int32_t, 1>(store, "r", {.shape = {32}, .chunks = {16}}, test::FromHost{}, on);
    raw.through<space::Host>().write(all, test::numbers_from<std::int32_t>(1, 32));
    ChunkCache const uncompressed{raw, {.device = 1 << 10, .host = 64 << 10}};
    (void)uncompressed.hold(all);
    for (auto const chunk : uncompressed.hold<space::Host>(all))
      CHECK(chunk.view(3) == static_cast<int>(chunk.first[0]) + 4);
    CHECK(uncompressed.statistics().shown == 0);
    CHECK(uncompressed.statistics().misses == 4);
    for (auto const chunk : uncompressed.hold_for_writing(all))
      CHECK(cudaMemsetAsync(chunk.view.data, 0xff, 16 * sizeof(std::int32_t), on.stream()) == cudaSuccess);
    for (auto const chunk : uncompressed.hold<space::Host>(all)) CHECK(chunk.view(3) == -1);  // the store has others
    CHECK(uncompressed.statistics().shown == 2);
  });
}

#endif

}  // namespace cache_counts_tests
