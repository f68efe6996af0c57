// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store) {
#ifdef CURED
  (void)create_group(host_side(store), "a");
#else
  (void)create_group(store, "a");
#endif
}
