// expect: tessera: a dropped Pending waits and discards errors: keep it, and call wait()
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
void program(LocalStore<HostBuffer> store, ArrayView<float, 3, space::Device> memory) {
  auto array = open_array<float, 3, Stored>(store, "a");
#ifdef CURED
  array.read(all, memory).wait();
#else
  array.read(all, memory);
#endif
}
