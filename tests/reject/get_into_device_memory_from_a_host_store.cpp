// expect: tessera: these bytes are in a different memory space from the one expected here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, DeviceBuffer room, Queue<space::Device> stream) {
#ifdef CURED
  get_into(CastStore<DeviceBuffer, LocalStore<HostBuffer>>{store}, {"a"}, room.span(), stream);
#else
  get_into(store, {"a"}, room.span(), stream.host());
#endif
}
