// expect: tessera: a cache keeps chunks in host memory, and in device memory only if the array is there: name space::Host, or
#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  ChunkCache const cache{open_array<float, 3>(store, "a"), {.host = 1 << 30}};
#ifdef CURED
  (void)cache.hold<space::Host>(all);
#else
  (void)cache.hold<space::Device>(all);
#endif
}
