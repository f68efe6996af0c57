// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(PrefixStore<LocalStore<DeviceBuffer>> store, Queue<space::Device> on) {
#ifdef CURED
  merge_attributes(host_side(store, on), "a", {{"unit", "K"}});
#else
  (void)on;
  merge_attributes(store, "a", {{"unit", "K"}});
#endif
}
