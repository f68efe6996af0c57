// Arrays of Zarr v2 in device memory work like all others.
#include <vector>

#include <device/arrays.hpp>
#include <support/store_conformance.hpp>

namespace v2_arrays_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue;

TEST_CASE("an array of order F, other byte order and zlib is one decode, one copy and one placing pass") {
  MemoryStore<HostBuffer> const store;
  test::put(store, "a/.zarray", R"({"zarr_format": 2, "shape": [12, 10], "chunks": [6, 5], "dtype": ">f8",
      "fill_value": 0, "order": "F", "filters": null, "compressor": {"id": "zlib", "level": 1}})");
  auto const elements = test::numbers_from(0.5, 120);
  open_array<double, 2, AllCodecs>(store, "a", HostQueue{1}).write(all, elements);
  DeviceQueue on{HostQueue{1}};
  auto const array = open_array<double, 2, test::Known>(store, "a", on);
  auto memory = test::on_device<double, 2>(std::vector<double>(120), {12, 10}, on);
  array.read(all, memory, ReadOptions{.mini_batch = every_chunk}).wait();
#if defined(TESSERA_CUDA_EMULATION)
  emulation::Watch const watch;
  array.read(all, memory, ReadOptions{.mini_batch = every_chunk}).wait();
  CHECK(watch.launches() == 1);
  CHECK(watch.copies(cudaMemcpyHostToDevice) == 1);
  CHECK(watch.copies(cudaMemcpyDeviceToDevice) == 0);
#endif
  CHECK(test::on_host(memory, on) == elements);
}

}  // namespace v2_arrays_tests
