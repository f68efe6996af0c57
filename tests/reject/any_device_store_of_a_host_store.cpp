// expect: tessera: an AnyStore holds stores of its own buffer type; put a CastStore around this one
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
#ifdef CURED
  return AnyStore<DeviceBuffer>{CastStore<DeviceBuffer, LocalStore<HostBuffer>>{store}};
#else
  return AnyStore<DeviceBuffer>{store};
#endif
}
