// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store) {
#ifdef CURED
  return open_group(host_side(store), "a");
#else
  return open_group(store, "a");
#endif
}
