// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
void program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device) {
#ifdef CURED
  (void)create_array<float, 1, Stored>(PrefixStore{SplitStore{host, device}, "p"}, "a",
                                       {.shape = {4}, .chunks = {2}});
#else
  (void)host;
  (void)create_array<float, 1, Stored>(PrefixStore{device, "p"}, "a", {.shape = {4}, .chunks = {2}});
#endif
}
