// expect: tessera: found a device queue, expected a host queue: pass queue.host()
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  auto value = get_value(store, {"a"}, stream.host());
#else
  auto value = get_value(store, {"a"}, stream);
#endif
}
