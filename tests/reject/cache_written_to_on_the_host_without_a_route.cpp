// expect: tessera: chunks of this array reach the store only from the device: hold them for writing there with
#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
using Stores = SplitStore<MemoryStore<HostBuffer>, MemoryStore<DeviceBuffer>>;
void program(Stores store, Queue<space::Device> on) {
  auto const array = open_array<float, 3, Pipeline<space::Device, codec::Bytes>>(store, "a", on);
  ChunkCache const cache{array, {.device = 1 << 30}};
#ifdef CURED
  (void)cache.hold_for_writing<space::Device>(all);
#else
  (void)cache.hold_for_writing<space::Host>(all);
#endif
}
