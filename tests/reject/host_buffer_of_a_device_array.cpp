// expect: tessera: this memory is in another space than the array is read into and written from; open the
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
auto program(LocalStore<HostBuffer> store, Queue<space::Device> on) {
#ifdef CURED
  return open_array<float, 3, Stored>(store, "a", on).read<PinnedBuffer>(all, on);
#else
  return open_array<float, 3, Stored>(store, "a", on).read<HostBuffer>(all, on);
#endif
}
