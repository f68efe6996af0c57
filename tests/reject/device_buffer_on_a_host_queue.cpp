// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
void program(Queue<space::Device> stream) {
#ifdef CURED
  DeviceBuffer buffer(16, stream);
#else
  DeviceBuffer buffer(16, stream.host());
#endif
}
