// expect: tessera: this is a queue of a device, and the work asked for is the host's: give queue.host()
#include <tessera/tessera.cuh>
using namespace tessera;
void program(Queue<space::Device> stream) {
#ifdef CURED
  PmrBuffer buffer(16, stream.host());
#else
  PmrBuffer buffer(16, stream);
#endif
}
