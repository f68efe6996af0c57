// expect: tessera: a DirectStore needs device buffers: DirectStore<DeviceBuffer>; for host memory use LocalStore
// not with nvcc: cuFile's header is not with every toolkit
#include <tessera/tessera.cuh>
#include <tessera/with/cufile.cuh>
using namespace tessera;
#ifdef CURED
void program(DirectStore<DeviceBuffer> store) { (void)store.transfer_path(); }
#else
void program(DirectStore<HostBuffer> store) { (void)store.transfer_path(); }
#endif
