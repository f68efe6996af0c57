// Chunk values in device memory: a kernel changes them where they are, and the host reads what came of it. Metadata
// stays with the host. With nvcc this runs on a GPU; the tests run it on an emulated CUDA runtime.
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

// A kernel is a function object: nvcc compiles it for the device, and it holds what it works on.
struct Invert {
  std::uint8_t* elements;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    elements[i] = static_cast<std::uint8_t>(255 - elements[i]);
  }
};

int main(int argc, char** argv) try {
  using namespace tessera;
  LocalStore<HostBuffer> const brain{"examples/data/brain.zarr"};
  auto const t1 = open_array<std::uint8_t, 3, Codecs<codec::Bytes, codec::Zstd>>(brain, "t1");

  // Slices of the volume, without compression: the value of a chunk is its elements.
  LocalStore<DeviceBuffer> const device{argc > 1 ? argv[1] : "inverted.zarr"};
  auto const host = host_side(device);  // the same files, as host bytes
  auto const slices = create_array<std::uint8_t, 3>(
      host, "slices", {.shape = {197, 233, 16}, .chunk_shape = {197, 233, 1}, .overwrite = true});
  slices.write(all, t1.read({all, all, {86, 102}}));
  Box const middle{{98, 99}, {116, 117}, {8, 9}};
  std::cout << "a voxel is " << int{slices.read(middle)(0, 0, 0)};

  // Each is read, changed and written in the queue's order. No byte of it is seen by the host.
  Queue<space::Device> stream;
  host.list("slices/c", [&](Listed const& entry) {
    Key const key{std::string{entry.path}};
    auto value = get(device, key, stream);
    if (!value) throw StoreError{"it was there"}.in_key(key.path).in_store(device.name());
    auto const bytes = value->span();
    launch(stream, bytes.size, Invert{reinterpret_cast<std::uint8_t*>(bytes.data)});
    device.write(key, bytes, stream);
  });
  std::cout << ", and inverted " << int{slices.read(middle)(0, 0, 0)} << '\n';
} catch (std::exception const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
