// expect: tessera: found a host queue, expected a device queue: pass
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
Pending program(LocalStore<HostBuffer> store, ArrayView<float, 3, space::Device> memory, Queue<space::Host> here,
                Queue<space::Device> there) {
  auto array = open_array<float, 3, Stored>(store, "a");
#ifdef CURED
  (void)here;
  return array.on(there).read(all, memory);
#else
  (void)there;
  return array.on(here).read(all, memory);
#endif
}
