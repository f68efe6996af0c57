// expect: tessera: there is no crossing between these two memory spaces; include tessera/cast/host_device.cuh
#include "stub_device.hpp"
using namespace tessera;
struct Pinned : HostBuffer {
  using space_type = space::Pinned;
  Pinned(std::size_t, Queue<space::Device>&);
  ByteView<space::Pinned> view() const;
  ByteSpan<space::Pinned> span();
};
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  CastStore<DeviceBuffer, LocalStore<HostBuffer>> cast{store};
#else
  CastStore<Pinned, LocalStore<HostBuffer>> cast{store};
#endif
  (void)cast;
}
