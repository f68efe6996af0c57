// expect: tessera: these bytes are in a different memory space from the one expected here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, HostBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, copy_to<DeviceBuffer>(std::move(value), stream).view(), stream);
#else
  store.write({"a"}, value.view(), stream);
#endif
}
