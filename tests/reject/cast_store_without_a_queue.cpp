// expect: tessera: values of a device store come to the host in the order of a device queue: give the
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  return CastStore<HostBuffer, LocalStore<DeviceBuffer>>{store, stream};
#else
  (void)stream;
  return CastStore<HostBuffer, LocalStore<DeviceBuffer>>{store};
#endif
}
