// expect: tessera: a store needs the type of its buffers, e.g. LocalStore<HostBuffer>
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
