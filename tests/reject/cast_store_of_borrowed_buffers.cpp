// expect: tessera: this is no buffer that can be made: bytes are cast to a buffer with memory of its own, e.g.
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
#ifdef CURED
  return CastStore<DeviceBuffer, LocalStore<HostBuffer>>{store};
#else
  return CastStore<MappedBuffer, LocalStore<HostBuffer>>{store};
#endif
}
