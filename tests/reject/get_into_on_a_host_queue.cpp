// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, DeviceBuffer room, Queue<space::Device> stream, Queue<space::Host> here) {
#ifdef CURED
  (void)here;
  get_into(store, {"a"}, room.span(), stream);
#else
  (void)stream;
  get_into(store, {"a"}, room.span(), here);
#endif
}
