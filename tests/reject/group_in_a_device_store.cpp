// expect: tessera: metadata is read by the host: open the array over a store of host buffers, or over SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store) {
#ifdef CURED
  return open_group(host_side(store), "a");
#else
  return open_group(store, "a");
#endif
}
