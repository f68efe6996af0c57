// expect: tessera: a store is told what buffers it hands out, e.g. LocalStore<HostBuffer>
#include <tessera/tessera.hpp>
using namespace tessera;
auto program() {
#ifdef CURED
  MemoryStore<HostBuffer> store;
#else
  MemoryStore store;
#endif
  return sizeof(store);
}
