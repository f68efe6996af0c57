// expect: tessera: a cache needs an array in host memory or in device memory
#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
using Managed = Pipeline<space::Managed, codec::Bytes, CastTo<space::Host>>;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
void program(LocalStore<HostBuffer> store, Queue<space::Device> on) {
#ifdef CURED
  ChunkCache const cache{open_array<float, 3, Stored>(store, "a", on), {.device = 1 << 30}};
#else
  ChunkCache const cache{open_array<float, 3, Managed>(store, "a", on), {.device = 1 << 30}};
#endif
}
