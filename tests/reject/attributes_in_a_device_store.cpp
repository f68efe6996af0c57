// expect: tessera: metadata is read by the host: open the array over a store of host buffers, or over SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store) {
#ifdef CURED
  set_attributes(host_side(store), "a", {{"unit", "K"}});
#else
  set_attributes(store, "a", {{"unit", "K"}});
#endif
}
