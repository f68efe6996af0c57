// Caches with several GPUs: a ChunkCache is on one of them, whichever is current, and a CachedStore keeps values on the
// GPU that read them.
#include <device/cache/cached.hpp>
#include <device/two_devices.hpp>
#include <support/refused.hpp>
#include <tessera/store/cached_store.hpp>

namespace cache_several_gpus_tests {

#if defined(TESSERA_CUDA_EMULATION)  // if there are two

using namespace tessera;
using test::DeviceQueue, test::cached_array, test::cached_chunk, test::with_two_devices;

TEST_CASE("a cache is on the GPU of its queue, whichever is current, and refuses queues of another") {
  with_two_devices(1, [](DeviceQueue& first, DeviceQueue& second) {
    for (auto* const on : {&first, &second}) {
      auto& other = on == &first ? second : first;
      ChunkCache const cache{cached_array({32, 64}, *on), {.device = 4 * cached_chunk, .host = 64 << 10}};
      for (int round = 0; round < 2; ++round)
        for (std::uint64_t row = 0; row < 32; row += 16)
          for (auto const chunk : cache.hold({{row, row + 16}, all}))
            CHECK(test::elements_of(chunk, {16, 16}, *on) == test::expected_of(chunk, 64));
      CHECK(cache.statistics().returns == 8);
      auto const devices =
          to_text({"found a queue of device ", other.device(), ", expected one of device ", on->device()});
      test::check_refused<Error>(
          [&] {
            (void)cache.on(other).hold({0, 0});
          },
          {"memory store: key \"a\": ", devices.c_str()});
      CHECK(cache.statistics().held == 0);
      CHECK(cache.on(other).hold<space::Host>({0, 0})[0].view(0, 1) == 2);
    }
  });
}

TEST_CASE("what a CachedStore keeps in device memory is of the GPU that read it") {
  with_two_devices(1, [](DeviceQueue& first, DeviceQueue& second) {
    MemoryStore<HostBuffer> const values;
    CachedStore const store{CastStore<DeviceBuffer, MemoryStore<HostBuffer>>{values}, 1 << 20};
    test::put(values, "k", "some value", first);
    for (int round = 0; round < 2; ++round)
      for (auto* const on : {&first, &second}) CHECK(test::value(store, "k", *on) == "some value");
    CHECK(store.statistics().misses == 2);
    CHECK(store.statistics().hits == 2);
    CHECK(store.statistics().bytes == 20);
  });
}

#endif

}  // namespace cache_several_gpus_tests
