// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store, Queue<space::Device> stream, Queue<space::Host> here) {
#ifdef CURED
  (void)here;
  return size(store, {"a"}, stream);
#else
  (void)stream;
  return size(store, {"a"}, here);
#endif
}
