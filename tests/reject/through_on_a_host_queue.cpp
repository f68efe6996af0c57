// expect: tessera: the last argument must be the pipeline's queue: a Queue<space::Host>, or a Queue<space::Device>
#include <tessera/tessera.cuh>
using namespace tessera;
using There = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
auto program(LocalStore<HostBuffer> store, Queue<space::Host> host, Queue<space::Device> device) {
  auto array = open_array<float, 3>(store, "a", host);
#ifdef CURED
  return array.through<There>(device).read(all);
#else
  return array.through<There>(host).read(all);
#endif
}
