// expect: tessera: found no crossing between these two memory spaces: include <tessera/cast/host_device.cuh>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/concept.hpp>
#ifdef CURED
#include <tessera/cast/host_device.cuh>
#endif
#include <tessera/buffer/host_buffer.hpp>
using namespace tessera;
auto program(HostBuffer buffer, Queue<space::Device> stream) {
  return copy_to<ManagedBuffer>(std::move(buffer), stream);
}
