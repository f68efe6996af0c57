// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(AnyStore<DeviceBuffer> store, Queue<space::Device> on) {
#ifdef CURED
  (void)create_group(host_side(store, on), "a");
#else
  (void)on;
  (void)create_group(store, "a");
#endif
}
