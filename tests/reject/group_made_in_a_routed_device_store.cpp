// expect: tessera: metadata is the host's to read and write: give a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> files, MemoryStore<DeviceBuffer> memory, Queue<space::Device> on) {
  RoutedStore const store{memory, files, SmallerThan{4096}};
#ifdef CURED
  (void)create_group(host_side(store, on), "a");
#else
  (void)on;
  (void)create_group(store, "a");
#endif
}
