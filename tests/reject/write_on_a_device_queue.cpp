// expect: tessera: this is a queue of a device, and the work asked for is the host's: give queue.host()
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, HostBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, value.view(), stream.host());
#else
  store.write({"a"}, value.view(), stream);
#endif
}
