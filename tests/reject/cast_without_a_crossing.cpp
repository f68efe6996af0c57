// expect: tessera: found no crossing between these two memory spaces: include <tessera/tessera.cuh>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/cast.hpp>
#ifdef CURED
#include <tessera/cast/detail/host_device.cuh>
#endif
#include <tessera/buffer/host_buffer.hpp>
using namespace tessera;
auto program(HostBuffer buffer, Queue<space::Device> stream) {
  return copy_to<ManagedBuffer>(std::move(buffer), stream);
}
