// expect: tessera: the element type of this memory differs from the array's
#include <vector>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  ChunkCache const cache{open_array<float, 3>(store, "a"), {.host = 1 << 30}};
#ifdef CURED
  std::vector<float> memory(cache.array().size());
#else
  std::vector<double> memory(cache.array().size());
#endif
  cache.read(all, memory);
}
