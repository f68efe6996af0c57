// write_local and read_local of device memory.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <device/arrays.hpp>
#include <parallel/threads.hpp>
#include <tessera/parallel/local.cuh>

namespace parallel_in_device_memory_tests {

using namespace tessera;
using test::DeviceQueue, test::ThreadRanks, test::under_seeds;

TEST_CASE("ranks write and read device memory") {
  under_seeds(4, [] {
    MemoryStore<HostBuffer> const store;
    auto const array = create_array<int, 2>(store, "a", {.shape = {11, 9}, .chunks = {4, 4}}, {}, Queue<space::Host>{});
    auto const partition = Partition::blocks({11, 9}, 3, {.halo = {1, 1}});
    auto const errors = ThreadRanks::run(3, [&](ThreadRanks const& ranks) {
      auto const shape = partition.memory_shape(ranks.rank());
      DeviceQueue on;
      OwnedArray<int, 2, PinnedBuffer> here{shape, on};
      std::iota(here.begin(), here.end(), 100 * ranks.rank());
      std::vector<int> const written(here.begin(), here.end());
      OwnedArray<int, 2, DeviceBuffer> memory{shape, on};
      auto const size = memory.size() * sizeof(int);
      auto const bytes = [&] { return ByteSpan<space::Device>{reinterpret_cast<std::byte*>(memory.data()), size}; };
      auto const pinned = [&] { return ByteSpan<space::Pinned>{reinterpret_cast<std::byte*>(here.data()), size}; };
      crossing<space::Device, space::Pinned>::copy(pinned(), bytes(), on);
      write_local(ranks, array, partition, memory, on);

      read_local(ranks, array, partition, memory, on, {.sharing = ReadSharing::all});
      crossing<space::Pinned, space::Device>::copy(bytes(), pinned(), on);
      on.wait();
      auto const whole = array.read(partition.memory_box(ranks.rank()));
      if (!std::equal(here.begin(), here.end(), whole.begin())) throw StoreError{"other elements were read"};
      auto const part = partition.part_of(ranks.rank(), false);
      if (here(part[0][0].at, part[1][0].at) != written[part[0][0].at * shape[1] + part[1][0].at])
        throw StoreError{"other elements were written"};
      // Errors of one rank are those of all.
      auto const narrow = memory.sub({all, {0, 1}});
      auto const wrong = ArrayView<int, 2, space::Device>{narrow.data, {shape[0], shape[1]}, {1, 1}};
      ranks.rank() == 1 ? write_local(ranks, array, partition, wrong, on)
                        : write_local(ranks, array, partition, memory, on);
    });
    CHECK(errors[0].find("rank 1: found device memory with gaps or in another order") != std::string::npos);
    CHECK(errors == std::vector<std::string>(3, errors[0]));
  });
}

}  // namespace parallel_in_device_memory_tests
