// What a read of points or of a mask in device memory costs: the bytes that cross, the launches, the waits.
#include <device/points/points.hpp>

namespace device_points_counts {

using namespace tessera;
using test::Compressed, test::DeviceQueue, test::on_device, test::on_host, test::points_on_device;

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("of points in device memory, the host gets 16 bytes for each touched chunk, and one launch places all") {
  DeviceQueue on{test::HostQueue{1}};
  auto const array = create_array<int, 2>(MemoryStore<HostBuffer>{}, "a",
                                          {.shape = {64, 64}, .chunks = {8, 8}}, Compressed{}, on);
  array.write(all, on_device<int, 2>(test::numbers_from(0, 64 * 64), {64, 64}, on)).wait();
  for (std::size_t const count : {10u, 1000u, 40'000u})
    for (std::size_t const chunks : {1u, 5u, 8u}) {
      test::Coordinates coordinates;
      std::vector<int> expected;
      for (std::size_t i = 0; i < count; ++i) {
        auto const row = i * 7 % 8, column = i % chunks * 8 + i % 5;
        coordinates.push_back(static_cast<std::int64_t>(row));
        coordinates.push_back(static_cast<std::int64_t>(column));
        expected.push_back(static_cast<int>(row * 64 + column));
      }
      auto const points = points_on_device(coordinates, 2, on);
      auto memory = on_device<int, 1>(std::vector<int>(count), {count}, on);
      Traffic traffic;
      emulation::Watch const watch;
      array.read(DevicePoints{points}, memory, {.mini_batch = every_chunk, .traffic = &traffic}).wait();
      CHECK(watch.copied(cudaMemcpyDeviceToHost) == 16 + 16 * chunks);
      CHECK(watch.copied(cudaMemcpyHostToDevice) < 1024 + 256 * chunks);  // the chunks, and tables
      CHECK(watch.launches() == 7);                                     // six sort the points
      CHECK(traffic.chunks == chunks);
      CHECK(on_host(memory, on) == expected);

      std::vector<std::uint8_t> mask(64 * 64);
      for (std::size_t i = 0; i < coordinates.size(); i += 2)
        mask[static_cast<std::size_t>(coordinates[i] * 64 + coordinates[i + 1])] = 1;
      auto const there = on_device<std::uint8_t, 2>(mask, {64, 64}, on);
      emulation::Watch const of_mask;
      auto const read = array.read(DeviceMask{there}, {.mini_batch = every_chunk});
      CHECK(of_mask.copied(cudaMemcpyDeviceToHost) == 8 + 16 + 16 * chunks);
      CHECK(of_mask.launches() == 10);
      CHECK(read.shape()[0] == static_cast<std::uint64_t>(std::count(mask.begin(), mask.end(), 1)));
    }
}

TEST_CASE("after the wait for the number of elements, no kernel reads a mask that selects none") {
  DeviceQueue on{test::HostQueue{1}};
  auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {100}, .chunks = {9}},
                                            Compressed{}, on);
  auto const mask = on_device<std::uint8_t, 1>(std::vector<std::uint8_t>(100), {100}, on);
  auto memory = on_device<int, 1>({1, 2}, {2}, on);
  emulation::Watch const watch;
  test::check_refused<SelectionError>([&] { array.read(DeviceMask{mask}, memory).wait(); }, {"expected [0]"});
  CHECK(watch.launches() == 2);  // counts and their sums
}

TEST_CASE("what crosses in a write of points in device memory depends on the touched chunks, not on the points") {
  DeviceQueue on{test::HostQueue{1}};
  auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {100}, .chunks = {10}},
                                            test::FromHost{}, on);
  array.write(all, on_device<int, 1>(test::numbers_from(0, 100), {100}, on)).wait();
  for (std::size_t const count : {30u, 30'000u}) {
    test::Coordinates coordinates;
    for (std::size_t i = 0; i < count; ++i) coordinates.push_back(static_cast<std::int64_t>(i % 30));
    auto const points = points_on_device(coordinates, 1, on);
    auto const given = on_device<int, 1>(test::numbers_from(0, count), {count}, on);
    emulation::Watch const watch;
    array.write(DevicePoints{points}, given).wait();
    CHECK(watch.copied(cudaMemcpyDeviceToHost) == 4 + 16 + 16 * 3 + 3 * 40);  // the last are the chunks
    auto const written = on_host(array.read(all), on);
    for (std::size_t i = 0; i < 30; ++i) CHECK(written[i] == static_cast<int>(count - 30 + i));
  }
}

TEST_CASE("points of a kernel are read in the order of its queue, under every order of streams") {
  test::under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{1}};
    auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a",
                                            {.shape = {100}, .chunks = {9}}, Compressed{}, on);
    array.write(all, on_device<int, 1>(test::numbers_from(0, 100), {100}, on)).wait();
    OwnedArray<std::int64_t, 2, DeviceBuffer> points{{50, 1}, on};
    struct Odd {
      ArrayView<std::int64_t, 2, space::Device> points;
      TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
        points.in_kernel(i, 0) = static_cast<std::int64_t>(99 - 2 * i);
      }
    };
    launch(on, 50, Odd{points.view()});
    auto const read = array.read(DevicePoints{points});
    launch(on, 50, Odd{points.view()});
    auto const found = on_host(read, on);
    for (std::size_t i = 0; i < 50; ++i) CHECK(found[i] == static_cast<int>(99 - 2 * i));
  });
}

#endif

}  // namespace device_points_counts
