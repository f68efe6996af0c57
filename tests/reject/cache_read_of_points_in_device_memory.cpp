// expect: tessera: a ChunkCache takes selections in host memory: read DevicePoints and a DeviceMask without it,
#include <vector>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
struct Listed {  // as DevicePoints, which need nvcc
  using list_space = space::Device;
};
void program(LocalStore<HostBuffer> store, Listed listed, std::vector<float>& memory) {
  ChunkCache const cache{open_array<float, 3>(store, "a"), {.host = 1 << 30}};
#ifdef CURED
  (void)listed;
  cache.read(all, memory);
#else
  cache.read(listed, memory);
#endif
}
