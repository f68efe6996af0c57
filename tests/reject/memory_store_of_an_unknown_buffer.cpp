// expect: tessera: a store needs the type of its buffers, e.g. LocalStore<HostBuffer>; for DeviceBuffer, PinnedBuffer
#include <tessera/tessera.hpp>
#ifdef CURED
#include <tessera/tessera.cuh>
#endif
using namespace tessera;
auto name(Queue<space::Host>) {
  using Bytes = MemoryStore<PinnedBuffer>;
  Bytes store;
  return sizeof(store);
}
