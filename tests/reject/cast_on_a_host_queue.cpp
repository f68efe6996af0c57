// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(HostBuffer buffer, Queue<space::Device> stream) {
#ifdef CURED
  return cast<DeviceBuffer>(std::move(buffer), stream);
#else
  return cast<DeviceBuffer>(std::move(buffer), stream.host());
#endif
}
