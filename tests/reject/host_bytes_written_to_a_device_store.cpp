// expect: tessera: these bytes are in another memory space than those asked for here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, HostBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, cast<DeviceBuffer>(std::move(value), stream).view(), stream);
#else
  store.write({"a"}, value.view(), stream);
#endif
}
