// expect: tessera: only through<space::Host>() needs no pipeline; for another memory space name a pipeline
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, OwnedArray<float, 3, DeviceBuffer>& memory) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  array.through<Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>().read(all, memory).wait();
#else
  array.through<space::Device>().read(all, memory).wait();
#endif
}
