// expect: tessera: found no crossing between these two memory spaces: include <tessera/tessera.cuh>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/memory_store.hpp>
#ifdef CURED
#include <tessera/cast/detail/host_device.cuh>
#endif
using namespace tessera;
auto program(MemoryStore<HostBuffer> store) { return CastStore<PinnedBuffer, MemoryStore<HostBuffer>>{store}; }
