// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device
#include <tessera/tessera.cuh>
using namespace tessera;
void program(Queue<space::Device> stream) {
#ifdef CURED
  DeviceBuffer buffer(16, stream);
#else
  DeviceBuffer buffer(16, stream.host());
#endif
}
