// expect: tessera: placing elements in this memory space needs <tessera/tessera.cuh>
#ifdef CURED
#include <tessera/tessera.cuh>
#else
#include <tessera/store/detail/local_store.cuh>
#include <tessera/tessera.hpp>
#endif
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes>;
void program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device, ArrayView<float, 3, space::Device> memory) {
  open_array<float, 3, Stored>(SplitStore{host, device}, "a").read(all, memory).wait();
}
