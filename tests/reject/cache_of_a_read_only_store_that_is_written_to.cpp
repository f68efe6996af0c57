// expect: tessera: this store cannot be written: it lacks
#include <vector>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<float> const& memory) {
#ifdef CURED
  ChunkCache const cache{open_array<float, 3>(store, "a"), {.host = 1 << 30}};
#else
  ChunkCache const cache{open_array<float, 3>(ReadOnlyStore{store}, "a"), {.host = 1 << 30}};
#endif
  cache.write(all, memory);
}
