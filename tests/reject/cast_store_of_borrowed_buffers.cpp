// expect: tessera: this type is not a buffer that owns its memory: copy to one that does, e.g.
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
#ifdef CURED
  return CastStore<DeviceBuffer, LocalStore<HostBuffer>>{store};
#else
  return CastStore<MappedBuffer, LocalStore<HostBuffer>>{store};
#endif
}
