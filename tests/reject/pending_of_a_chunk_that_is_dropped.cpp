// expect: tessera: a dropped Pending waits and discards errors: keep it, and call wait()
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
void program(LocalStore<HostBuffer> store, ArrayView<float const, 3, space::Device> memory) {
  auto array = open_array<float, 3, Stored>(store, "a");
#ifdef CURED
  array.write_chunk({0, 0, 0}, memory).detach();
#else
  array.write_chunk({0, 0, 0}, memory);
#endif
}
