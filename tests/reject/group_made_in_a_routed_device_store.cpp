// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> files, MemoryStore<DeviceBuffer> memory, Queue<space::Device> on) {
  RoutedStore const store{memory, files, KeysBelow{"b"}};
#ifdef CURED
  (void)create_group(host_side(store, on), "a");
#else
  (void)on;
  (void)create_group(store, "a");
#endif
}
