// expect: tessera: the pipeline ends in a different memory space from the store's bytes; end it with CastTo<...>
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  return array.through<Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>().read(all);
#else
  return array.through<Pipeline<space::Device, codec::Bytes>>().read(all);
#endif
}
