// expect: tessera: elements cannot be placed in this memory space: begin the pipeline in memory that the host touches
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using Stored = Pipeline<space::Pinned, codec::Bytes, CastTo<space::Device>>;
#else
using Stored = Pipeline<space::Device, codec::Bytes>;
#endif
auto program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device) {
  return open_array<float, 3, Stored>(SplitStore{host, device}, "a").read(all);
}
