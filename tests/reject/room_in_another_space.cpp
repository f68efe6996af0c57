// expect: tessera: these bytes are in a different memory space from the one expected here: copy them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, HostBuffer here, DeviceBuffer there, Queue<space::Device> stream) {
#ifdef CURED
  auto room = [&](std::size_t n) { return there.span().sub(0, n); };
  (void)here;
#else
  auto room = [&](std::size_t n) { return here.span().sub(0, n); };
  (void)there;
#endif
  store.read({"a"}, {}, room, stream);
}
