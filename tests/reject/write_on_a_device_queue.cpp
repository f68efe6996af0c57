// expect: tessera: found a device queue, expected a host queue: pass queue.host()
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, HostBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, value.view(), stream.host());
#else
  store.write({"a"}, value.view(), stream);
#endif
}
