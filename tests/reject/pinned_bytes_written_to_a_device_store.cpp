// expect: tessera: these bytes are in a different memory space from the one expected here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, PinnedBuffer value, Queue<space::Device> stream) {
#ifdef CURED
  store.write({"a"}, view_in<space::Device>(value.view(), stream), stream);
#else
  store.write({"a"}, value.view(), stream);
#endif
}
