// expect: tessera: a MemoryStore copies its values: include tessera/tessera.cuh
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/store/memory_store.hpp>
#ifdef CURED
#include <tessera/cast/detail/host_device.cuh>
#endif
using namespace tessera;
MemoryStore<DeviceBuffer> store;
