// expect: tessera: an AnyStore holds stores of its own buffer type; put a CastStore around this one
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(MemoryStore<DeviceBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  return AnyStore<HostBuffer>{CastStore<HostBuffer, MemoryStore<DeviceBuffer>>{store, stream}};
#else
  (void)stream;
  return AnyStore<HostBuffer>{store};
#endif
}
