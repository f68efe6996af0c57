// expect: tessera: these bytes are in a different memory space from the one expected here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(MemoryStore<HostBuffer> store, DeviceBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, copy_to<HostBuffer>(std::move(value), stream).view(), stream.host());
#else
  store.write({"a"}, value.view(), stream.host());
#endif
}
