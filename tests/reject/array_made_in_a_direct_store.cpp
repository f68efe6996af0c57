// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
// not with nvcc: cuFile's header is not with every toolkit
#include <tessera/tessera.cuh>
#include <tessera/with/cufile.cuh>
using namespace tessera;
using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
void program(LocalStore<HostBuffer> host, DirectStore<DeviceBuffer> device) {
#ifdef CURED
  (void)create_array<float, 1, Stored>(SplitStore{host, device}, "a", {.shape = {4}, .chunks = {2}});
#else
  (void)host;
  (void)create_array<float, 1, Stored>(device, "a", {.shape = {4}, .chunks = {2}});
#endif
}
