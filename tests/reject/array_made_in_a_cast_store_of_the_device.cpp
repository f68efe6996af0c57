// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
void program(LocalStore<HostBuffer> host) {
  CastStore<DeviceBuffer, LocalStore<HostBuffer>> const device{host};
#ifdef CURED
  (void)create_array<float, 1, Stored>(SplitStore{host, device}, "a", {.shape = {4}, .chunks = {2}});
#else
  (void)create_array<float, 1, Stored>(device, "a", {.shape = {4}, .chunks = {2}});
#endif
}
