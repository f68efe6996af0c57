// A filter over a volume that is larger than the given device memory. Twice each voxel becomes the mean of itself and
// its neighbours along the first axis. The array between the two passes is temporary: a cache holds as much of it as
// fits on the device, and in page-locked memory; the rest is written to the store.
//
//   out_of_core [PICTURE.svg]
//
// The picture shows where chunks were: a row for each chunk of that array, a column for each step. With nvcc this runs
// on a GPU; the tests run it on an emulated CUDA runtime.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <vector>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

#include "out_of_core.hpp"

using namespace tessera;

namespace {

using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;
constexpr std::uint64_t edge = 32, chunk_bytes = edge * edge * edge;

auto volume_in(MemoryStore<HostBuffer> const& store, char const* path, Extents const& shape,
               Queue<space::Device> const& on) {
  return create_array<std::uint8_t, 3>(store, path, {.shape = shape, .chunks = {edge, edge, edge}}, Stored{}, on);
}

// One block of the result, from one that is a voxel longer at both ends, except at the border.
template <class From, class To>
void filter(From const& from, To const& to, Slice const (&block)[3], Queue<space::Device>& on) {
  auto const length = from.array().shape()[0];
  auto const first = block[0].first, last = block[0].stop;
  auto const begin = first == 0 ? 0 : first - 1, end = std::min(last + 1, length);
  Extents const inside{last - first, block[1].stop - block[1].first, block[2].stop - block[2].first};
  OwnedArray<std::uint8_t, 3, DeviceBuffer> around{{end - begin, inside[1], inside[2]}, on}, mean{inside, on};
  from.on(on).read({{begin, end}, block[1], block[2]}, around);
  launch(on, mean.size(), Mean{around.view(), mean.view(), first - begin});
  to.on(on).write({block[0], block[1], block[2]}, mean);
}

}  // namespace

int main(int argc, char** argv) try {
  LocalStore<HostBuffer> const brain{"examples/data/brain.zarr"};
  MemoryStore<HostBuffer> const store;
  Queue<space::Device> on, of_caches;  // one for kernels, and one that reads and spills beside them
  auto const t1 = open_array<std::uint8_t, 3, Stored>(brain, "t1", on).read<HostBuffer>(all);
  auto const source = volume_in(store, "source", t1.shape(), of_caches);
  source.through<space::Host>().write(all, t1);

  // The device holds a fifth of the volume for all three, 68 of 336 chunks; the host 96 chunks of the array in between.
  auto const cache_of = [&](auto const& array, std::uint64_t device, std::uint64_t host) {
    return ChunkCache{array, {.device = device * chunk_bytes, .host = host * chunk_bytes}};
  };
  auto const before = cache_of(source, 16, 0);
  auto const once = cache_of(volume_in(store, "once", t1.shape(), of_caches), 40, 96);
  auto const twice = cache_of(volume_in(store, "twice", t1.shape(), of_caches), 12, 0);

  Picture picture{once.array().grid_shape()};
  auto const blocks = blocks_of(t1.shape(), {edge, 4 * edge, 3 * edge});
  for (auto const& block : blocks) {
    filter(before, once, block.slices, on);
    picture.add_step(once);
  }
  for (auto i = blocks.rbegin(); i != blocks.rend(); ++i) {  // backwards: the chunks used last are still there
    filter(once, twice, i->slices, on);
    picture.add_step(once);
  }
  twice.flush();

  auto const found = once.statistics();
  std::cout << to_string(t1.shape()) << " voxels in " << picture.chunks()
            << " chunks, of which the device has room for 40\n"
            << found.spills << " chunks spilled to the host in " << found.copies << " copies both ways, "
            << found.returns << " came back\n"
            << found.written << " were written to the store, and " << found.misses << " read from it\n"
            << found.to_host + found.to_device << " bytes crossed for that; all of them take "
            << picture.chunks() * chunk_bytes << '\n';
  if (argc > 1) picture.write(argv[1]);

  auto const expected = mean_of(mean_of({t1.begin(), t1.end()}, t1.shape()), t1.shape());
  auto const result = twice.array().read<HostBuffer>(all);
  if (!std::equal(result.begin(), result.end(), expected.begin(), expected.end())) {
    std::cerr << "the result is not the host's\n";
    return 1;
  }
} catch (std::exception const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
