// expect: tessera: a DirectStore is for device memory: DirectStore<DeviceBuffer>; for the host's, LocalStore
// not with nvcc: cuFile's header is not with every toolkit
#include <tessera/tessera.cuh>
#include <tessera/with/cufile.cuh>
using namespace tessera;
#ifdef CURED
void program(DirectStore<DeviceBuffer> store) { (void)store.transfer_path(); }
#else
void program(DirectStore<HostBuffer> store) { (void)store.transfer_path(); }
#endif
