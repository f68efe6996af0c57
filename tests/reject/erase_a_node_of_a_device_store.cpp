// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store) {
#ifdef CURED
  erase_node(host_side(store), "a");
#else
  erase_node(store, "a");
#endif
}
