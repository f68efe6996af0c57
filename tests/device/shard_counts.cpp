// The cost of assembling shards in device memory: counted for each, for any number of inner chunks.
#include <cstdint>
#include <string>
#include <vector>

#include <device/arrays.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>

namespace shard_counts_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::TemporaryFolder, test::under_seeds;

namespace {

constexpr std::uint64_t length = 11;  // bytes of a chunk, so that each has a different alignment

template <class Inner>
codec::Sharding<Inner> shard_of(Extents const& chunk_shape, Inner const& inner = {}) {
  codec::Sharding<Inner> shard;
  shard.chunk_shape = chunk_shape;
  shard.inner = inner;
  return shard;
}

// Writes one shard with that many chunks at its bottom, all of them one mini-batch.
template <class Shard>
void check_counts(Shard const& shard, std::uint64_t chunks, std::string const& folder, std::size_t launches) {
  CAPTURE(chunks);
  under_seeds(8, [&] {
    DeviceQueue on{HostQueue{1}};
    auto const store = test::files_of_the_device(folder);
    auto const array = create_array<std::uint8_t, 1>(
        store, "a", {.shape = {chunks * length}, .chunks = {chunks * length}, .overwrite = true},
        Pipeline<space::Device, Shard>{shard}, on);
    auto const values = test::numbers_from<std::uint8_t>(1, chunks * length);
    auto const memory = test::on_device<std::uint8_t, 1>(values, {chunks * length}, on);
    WriteOptions const options{.mini_batch = chunks, .in_flight = 1};
    for (int i = 0; i < 2; ++i) array.write(all, memory, options).wait();
    {
      emulation::Watch const watch;
      array.write(all, memory, options).wait();
      CHECK(watch.launches() == launches);
      CHECK(watch.copies(cudaMemcpyDeviceToDevice) == 0);
      CHECK(watch.copies(cudaMemcpyHostToDevice) <= 5);  // the indexes, and tables too large for a kernel's arguments
      CHECK(watch.copies(cudaMemcpyDeviceToHost) == 1);  // the shard
      CHECK(test::allocations(watch) == 0);
      CHECK(watch.synchronisations() == 0);
      CHECK(watch.count() <= 60);
    }
    CHECK(test::on_host(array.on(on).read(all), on) == values);
  });
}

}  // namespace

TEST_CASE("a shard in device memory is put together in as many calls, however many chunks it has") {
  TemporaryFolder const folder;
  auto const path = folder.path().string();
  using Checked = Pipeline<space::Device, codec::Bytes, codec::DeviceCrc32c>;
  for (std::uint64_t const chunks : {4u, 100u, 400u}) {
    // The launches: elements to their chunks; the test for the fill value; chunks out of the mini-batch, and into the
    // shard.
    check_counts(shard_of<test::OnDevice>({length}), chunks, path, 4);
    check_counts(shard_of<Checked>({length}), chunks, path, 6);
    auto const inner = shard_of<test::OnDevice>({length});
    check_counts(shard_of({2 * length}, Pipeline<space::Device, codec::Sharding<test::OnDevice>>{inner}), chunks, path,
                 4);
  }
}

#endif

}  // namespace shard_counts_tests
