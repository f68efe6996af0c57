// expect: tessera: a dropped Pending waits and discards errors: keep it, and call wait()
#include <tessera/tessera.cuh>
using namespace tessera;
void program(Queue<space::Device> stream) {
#ifdef CURED
  auto copied = stream.pending("a");
  copied.wait();
#else
  stream.pending("a");
#endif
}
