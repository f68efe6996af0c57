// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
// not with nvcc: cuFile's header is not with every toolkit
#include <tessera/tessera.cuh>
#include <tessera/with/cufile.cuh>
using namespace tessera;
void program(DirectStore<DeviceBuffer> store) {
#ifdef CURED
  (void)create_group(host_side(store), "a");
#else
  (void)create_group(store, "a");
#endif
}
