// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  return CastStore<HostBuffer, LocalStore<DeviceBuffer>>{store, stream};
#else
  return CastStore<HostBuffer, LocalStore<DeviceBuffer>>{store, stream.host()};
#endif
}
