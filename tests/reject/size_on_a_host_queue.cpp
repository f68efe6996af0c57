// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store, Queue<space::Device> stream, Queue<space::Host> here) {
#ifdef CURED
  (void)here;
  return value_size(store, {"a"}, stream);
#else
  (void)stream;
  return value_size(store, {"a"}, here);
#endif
}
