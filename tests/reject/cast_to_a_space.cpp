// expect: tessera: this type is not a buffer that owns its memory: copy to one that does, e.g.
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(HostBuffer buffer, Queue<space::Device> stream) {
#ifdef CURED
  return copy_to<DeviceBuffer>(std::move(buffer), stream);
#else
  return copy_to<space::Device>(std::move(buffer), stream);
#endif
}
