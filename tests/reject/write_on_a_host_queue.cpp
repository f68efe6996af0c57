// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, DeviceBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, value.view(), stream);
#else
  store.write({"a"}, value.view(), stream.host());
#endif
}
