// expect: tessera: these elements are in device memory, which the host cannot access: read them with array.read<PinnedBuffer>(selection), or
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
float program(LocalStore<HostBuffer> store, Queue<space::Device> on) {
  auto const array = open_array<float, 2, Stored>(store, "a", on);
#ifdef CURED
  auto const elements = array.read<PinnedBuffer>(all);
#else
  auto const elements = array.read(all);
#endif
  return elements(3, 4);
}
