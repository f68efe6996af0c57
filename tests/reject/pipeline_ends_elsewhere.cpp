// expect: tessera: the pipeline ends in a different memory space from the store's bytes; end it with CastTo<...>
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device) {
  SplitStore const store{host, device};
#ifdef CURED
  return open_array<float, 3, Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>>(store, "a");
#else
  return open_array<float, 3, Pipeline<space::Host, codec::Bytes>>(store, "a");
#endif
}
