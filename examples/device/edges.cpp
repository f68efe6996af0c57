// Reads the brain volume into device memory, where kernels smooth it and find its edges, and writes these as a new
// array. The host only decompresses and compresses. With nvcc this runs on a GPU; the tests run it on an emulated CUDA
// runtime.
#include <cstdint>
#include <exception>
#include <iostream>

#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

#include "edges.hpp"

int main(int argc, char** argv) try {
  using namespace tessera;
  LocalStore<HostBuffer> const brain{"examples/data/brain.zarr"}, made{argc > 1 ? argv[1] : "edges.zarr"};
  Queue<space::Device> on{Queue<space::Host>{4}};  // a stream, and host threads that work for it

  // Elements on the device, zstd on the host: every chunk crosses between them.
  using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;
  auto const t1 = open_array<std::uint8_t, 3, Stored>(brain, "t1", on);
  auto const volume = t1.on(on).read<DeviceBuffer>(all);

  OwnedArray<int, 3, DeviceBuffer> x{t1.shape(), on}, y{t1.shape(), on};
  launch(on, t1.size(), Smooth<std::uint8_t const>{volume.view(), x.data(), 0});
  launch(on, t1.size(), Smooth<int>{x.view(), y.data(), 1});
  launch(on, t1.size(), Smooth<int>{y.view(), x.data(), 2});
  OwnedArray<float, 3, DeviceBuffer> steepness{t1.shape(), on};
  launch(on, t1.size(), Steepness{x.view(), steepness.data()});

  auto const edges = create_array<float, 3>(made, "edges",
                                            {.shape = t1.shape(),
                                             .chunks = t1.chunk_shape(),
                                             .attributes = {{"units", "arbitrary intensity per voxel"}},
                                             .dimension_names = t1.metadata().dimension_names,
                                             .overwrite = true},
                                            Stored{}, on);
  edges.on(on).write(all, steepness.view()).wait();
  std::cout << "the edges of " << to_string(t1.shape()) << " voxels are in " << made.name() << '\n';
} catch (std::exception const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
