// expect: tessera: these bytes are in another memory space than those asked for here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(MemoryStore<HostBuffer> store, DeviceBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, cast<HostBuffer>(std::move(value), stream).view(), stream.host());
#else
  store.write({"a"}, value.view(), stream.host());
#endif
}
