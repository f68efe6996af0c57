// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, DeviceBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, value.view(), stream);
#else
  store.write({"a"}, value.view(), stream.host());
#endif
}
