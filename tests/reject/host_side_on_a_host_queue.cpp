// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(MemoryStore<DeviceBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  return host_side(store, stream);
#else
  return host_side(store, stream.host());
#endif
}
