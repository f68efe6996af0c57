// expect: tessera: metadata is the host's to read and write: give a store of host buffers, or SplitStore{
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
