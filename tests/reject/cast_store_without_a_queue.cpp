// expect: tessera: copying values of a device store to the host needs a device queue: pass one to the CastStore
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
