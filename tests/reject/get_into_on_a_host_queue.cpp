// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device
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
