// expect: tessera: this is a queue of the host, and the work asked for is done in the order of a device's: give
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
Pending program(LocalStore<HostBuffer> store, ArrayView<float, 3, space::Device> memory, Queue<space::Host> here,
                Queue<space::Device> there) {
  auto array = open_array<float, 3, Stored>(store, "a");
#ifdef CURED
  (void)here;
  return array.read(all, memory, there);
#else
  (void)there;
  return array.read(all, memory, here);
#endif
}
