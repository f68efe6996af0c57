// expect: tessera: this store's values come to the host in the order of a device queue: host_side(store, queue)
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(MemoryStore<DeviceBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  return host_side(store, stream);
#else
  (void)stream;
  return host_side(store);
#endif
}
