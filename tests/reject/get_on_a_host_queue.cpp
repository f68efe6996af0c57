// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, Queue<space::Device> stream, Queue<space::Host> here) {
#ifdef CURED
  (void)here;
  auto value = get(store, {"a"}, stream);
#else
  (void)stream;
  auto value = get(store, {"a"}, here);
#endif
}
