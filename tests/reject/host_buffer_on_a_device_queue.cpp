// expect: tessera: found a device queue, expected a host queue: pass queue.host()
#include <tessera/tessera.cuh>
using namespace tessera;
void program(Queue<space::Device> stream) {
#ifdef CURED
  PmrBuffer buffer(16, stream.host());
#else
  PmrBuffer buffer(16, stream);
#endif
}
