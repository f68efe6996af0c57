// expect: tessera: Codecs<...> is a list of codecs (types with `kind` and `name`); a cast is a stage of a Pipeline
#include "stub_device.hpp"
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  (void)open_array<float, 3, Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>(store, "a");
#else
  (void)open_array<float, 3, Codecs<codec::Bytes, CastTo<space::Host>>>(store, "a");
#endif
}
