// expect: tessera: the pipeline ends in a different memory space from the store's bytes
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, Queue<space::Device> on) {
#ifdef CURED
  using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
#else
  using Stored = Pipeline<space::Device, codec::Bytes>;
#endif
  auto array = open_array<float, 3, Stored>(store, "a", on);
  array.read<DeviceBuffer>(all);
  array.read<HostBuffer>({{0, 1}, {0, 1}, {0, 1}});
}
