// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store, Queue<space::Device> on) {
#ifdef CURED
  return open_group(host_side(ReadOnlyStore{store}, on), "a");
#else
  (void)on;
  return open_group(ReadOnlyStore{store}, "a");
#endif
}
