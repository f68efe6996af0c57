// expect: tessera: copying this store's values to the host needs a device queue: call host_side(store, queue)
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
