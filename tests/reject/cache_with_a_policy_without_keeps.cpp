// expect: tessera: a cache policy needs a template 'keeps': keeps<space::Host>(chunk) and
#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
struct FirstRow {
#ifdef CURED
  template <MemorySpace S>
#endif
  static bool keeps(Extents const& chunk) {
    return chunk[0] == 0;
  }
};
void program(LocalStore<HostBuffer> store) {
  ChunkCache const cache{open_array<float, 3>(store, "a"), {.host = 1 << 30}, FirstRow{}};
  (void)cache.hold(all);
}
