// expect: tessera: these bytes are in a different memory space from the one expected here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, HostBuffer room, Queue<space::Device> stream) {
#ifdef CURED
  get_into(host_side(store), {"a"}, room.span(), stream.host());
#else
  get_into(store, {"a"}, room.span(), stream);
#endif
}
