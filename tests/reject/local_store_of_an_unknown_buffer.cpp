// expect: tessera: a store needs the type of its buffers, e.g. LocalStore<HostBuffer>; for DeviceBuffer, PinnedBuffer
#include <tessera/tessera.hpp>
#ifdef CURED
#include <tessera/tessera.cuh>
#endif
using namespace tessera;
auto name(Queue<space::Host>) {
  using Bytes = LocalStore<DeviceBuffer>;
  Bytes store{"folder"};
  return sizeof(store);
}
