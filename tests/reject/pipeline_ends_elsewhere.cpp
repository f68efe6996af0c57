// expect: tessera: the pipeline ends in another memory space than the store's bytes are in; end it with CastTo<...>
#include "stub_device.hpp"
using namespace tessera;
void program(LocalStore<HostBuffer> host) {
#ifdef CURED
  (void)open_array<float, 3, Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>(host, "a");
#else
  (void)open_array<float, 3, Pipeline<space::Device, codec::Bytes>>(host, "a");
#endif
}
