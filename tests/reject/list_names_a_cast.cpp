// expect: tessera: Codecs<...> is a list of codecs (types with 'kind' and 'name'); a cast is a stage of a Pipeline
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device) {
  SplitStore const store{host, device};
#ifdef CURED
  return open_array<float, 3, Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>>(store, "a");
#else
  return open_array<float, 3, Codecs<codec::Bytes, CastTo<space::Device>>>(store, "a");
#endif
}
