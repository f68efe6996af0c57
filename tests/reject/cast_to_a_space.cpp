// expect: tessera: this is no buffer that can be made: bytes are cast to a buffer with memory of its own, e.g.
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(HostBuffer buffer, Queue<space::Device> stream) {
#ifdef CURED
  return cast<DeviceBuffer>(std::move(buffer), stream);
#else
  return cast<space::Device>(std::move(buffer), stream);
#endif
}
