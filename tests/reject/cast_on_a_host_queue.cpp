// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(HostBuffer buffer, Queue<space::Device> stream) {
#ifdef CURED
  return copy_to<DeviceBuffer>(std::move(buffer), stream);
#else
  return copy_to<DeviceBuffer>(std::move(buffer), stream.host());
#endif
}
