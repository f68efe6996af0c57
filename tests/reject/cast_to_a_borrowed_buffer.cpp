// expect: tessera: this type is not a buffer that owns its memory: copy to one that does, e.g.
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(DeviceBuffer buffer, Queue<space::Device> stream) {
#ifdef CURED
  return copy_to<HostBuffer>(std::move(buffer), stream);
#else
  return copy_to<MappedBuffer>(std::move(buffer), stream);
#endif
}
