// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(MemoryStore<DeviceBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  return host_side(store, stream);
#else
  return host_side(store, stream.host());
#endif
}
