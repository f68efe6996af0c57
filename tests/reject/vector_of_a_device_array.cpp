// expect: tessera: this memory is in a different memory space from the array's elements; open the array
#include <vector>

#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
#else
using Stored = Pipeline<space::Device, codec::Bytes>;
#endif
void program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device, std::vector<float> memory) {
  open_array<float, 3, Stored>(SplitStore{host, device}, "a").read(all, memory);
}
