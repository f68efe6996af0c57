// expect: tessera: these bytes are in another memory space than those asked for here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, HostBuffer room, Queue<space::Device> stream) {
#ifdef CURED
  get_into(host_side(store), {"a"}, room.span(), stream.host());
#else
  get_into(store, {"a"}, room.span(), stream);
#endif
}
