// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  return CastStore<HostBuffer, LocalStore<DeviceBuffer>>{store, stream};
#else
  return CastStore<HostBuffer, LocalStore<DeviceBuffer>>{store, stream.host()};
#endif
}
