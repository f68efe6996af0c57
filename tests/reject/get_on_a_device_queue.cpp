// expect: tessera: this is a queue of a device, and the work asked for is the host's: give queue.host()
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  auto value = get(store, {"a"}, stream.host());
#else
  auto value = get(store, {"a"}, stream);
#endif
}
