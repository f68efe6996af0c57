// expect: tessera: this memory is in another space than the array is read into and written from; open the
#include <vector>

#include "stub_device.hpp"
using namespace tessera;
void program(LocalStore<HostBuffer> host, std::vector<float> memory) {
#ifdef CURED
  open_array<float, 3>(host, "a").read(all, memory);
#else
  open_array<float, 3, Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>(host, "a").read(all, memory);
#endif
}
