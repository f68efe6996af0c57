// One array of one type, opened and read into device memory through one pipeline: zstd on the host, then the crossing,
// then the device places the elements.
#include <cstdint>
#include <cstdlib>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/node/open.hpp>
#include <tessera/place/detail/placer.cuh>
#include <tessera/store/local_store.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

int main(int, char** arguments) {
  using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;
  Queue<space::Device> on;
  auto const array = open_array<std::uint8_t, 3, Stored>(LocalStore<HostBuffer>{arguments[1]}, "t1", on);
  OwnedArray<std::uint8_t, 3, DeviceBuffer> memory{array.shape(), on};
  array.read(all, memory.view()).wait();
  return EXIT_SUCCESS;
}
