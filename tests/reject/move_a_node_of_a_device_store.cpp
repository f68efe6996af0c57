// expect: tessera: metadata is read by the host: open the array over a store of host buffers, or over SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store) {
#ifdef CURED
  move_node(host_side(store), "a", "b");
#else
  move_node(store, "a", "b");
#endif
}
