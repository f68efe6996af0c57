// expect: tessera: the last argument must be the pipeline's queue: a Queue<space::Host>, or a Queue<space::Device>
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  return open_array<float, 3>(store, "a", stream.host());
#else
  return open_array<float, 3>(store, "a", stream);
#endif
}
