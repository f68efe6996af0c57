// expect: tessera: elements cannot be placed in this memory space: begin the pipeline in memory that the host
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
void program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device, ArrayView<float, 3> memory) {
#else
using Stored = Pipeline<space::Device, codec::Bytes>;
void program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device, ArrayView<float, 3, space::Device> memory) {
#endif
  open_array<float, 3, Stored>(SplitStore{host, device}, "a").read(all, memory);
}
