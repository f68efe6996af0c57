// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, Queue<space::Device> stream, Queue<space::Host> here) {
#ifdef CURED
  (void)here;
  auto value = get_value(store, {"a"}, stream);
#else
  (void)stream;
  auto value = get_value(store, {"a"}, here);
#endif
}
