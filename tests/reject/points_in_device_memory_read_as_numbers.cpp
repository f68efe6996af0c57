// expect: tessera: DevicePoints and a DeviceMask are read into buffers that the device can access: omit the type for a
#include <concepts>

#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
struct Listed {  // as DevicePoints, which need nvcc
  using list_space = space::Device;
  template <class Space>
  static consteval bool check_space() {
    return std::same_as<Space, space::Device>;
  }
};
void program(LocalStore<HostBuffer> store, Queue<space::Device> on, Listed listed) {
  auto const array = open_array<float, 3, Stored>(store, "a", on);
#ifdef CURED
  (void)listed;
  (void)array.read<PinnedBuffer>(all);
#else
  (void)array.read<double>(listed);
#endif
}
