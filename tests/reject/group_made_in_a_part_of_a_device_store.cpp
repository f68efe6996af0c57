// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, Queue<space::Device> on) {
  PrefixStore const part{store, "p"};
#ifdef CURED
  (void)create_group(host_side(part, on), "a");
#else
  (void)on;
  (void)create_group(part, "a");
#endif
}
