// expect: tessera: dropped, it waits and reports nothing: keep it, and wait() for its work
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
