// expect: tessera: this memory is in another space than the array is read into and written from; open the
#include "stub_device.hpp"
using namespace tessera;
void program(LocalStore<HostBuffer> host, ArrayView<float, 3> here, ArrayView<float, 3, space::Device> there) {
  auto array = open_array<float, 3, Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>(host, "a");
#ifdef CURED
  (void)here;
  array.read(all, there);
#else
  (void)there;
  array.read(all, here);
#endif
}
