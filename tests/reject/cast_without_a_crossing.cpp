// expect: tessera: there is no crossing between these two memory spaces; include tessera/cast/host_device.cuh
#include "stub_device.hpp"
using namespace tessera;
struct Managed : HostBuffer {
  using space_type = space::Managed;
  Managed(std::size_t, Queue<space::Device>&);
  ByteView<space::Managed> view() const;
  ByteSpan<space::Managed> span();
};
void program(HostBuffer from, Queue<space::Device> on) {
#ifdef CURED
  auto to = cast<DeviceBuffer>(std::move(from), on);
#else
  auto to = cast<Managed>(std::move(from), on);
#endif
  (void)to;
}
