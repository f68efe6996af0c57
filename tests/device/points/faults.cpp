// Reads and writes of points and masks in device memory, of which each call of the CUDA runtime fails once.
#include <cstdint>
#include <string_view>
#include <vector>

#include <device/points/points.hpp>
#include <tessera/array/convert.hpp>

#if defined(TESSERA_CUDA_EMULATION)

namespace device_points_faults {

using namespace tessera;
using test::Compressed, test::DeviceQueue, test::on_device, test::on_host, test::points_on_device;

namespace {

/// `call(array, points, mask, memory)` reads or writes the elements 5, 25 and 5.
template <class Call>
void check_each_call_fails(Call const& call) {
  bool failed = true;
  std::size_t k = 0;
  for (; failed; ++k)
    for (std::uint64_t const seed : {0u, 5u}) {
      CAPTURE(k);
      emulation::seed(seed);
      {
        DeviceQueue on{test::HostQueue{1}};
        auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {30}, .chunks = {10}},
                                                Compressed{}, on);
        array.write(all, on_device<int, 1>(test::numbers_from(0, 30), {30}, on)).wait();
        auto const points = points_on_device({5, 25, 5}, 1, on);
        std::vector<std::uint8_t> set(30);
        set[5] = set[25] = 1;
        auto const mask = on_device<std::uint8_t, 1>(set, {30}, on);
        auto memory = on_device<int, 1>({-1, -2, -3}, {3}, on);
        emulation::fail(k);
        bool threw = false;
        try {
          call(array, points, mask, memory);
        } catch (DeviceError const& error) {
          threw = true;
          std::string_view const what = error.what();
          CAPTURE(what);
          CHECK(what.find("key \"a") != what.npos);
        }
        failed = emulation::has_failed();
        emulation::fail_nothing();
        CHECK((failed || !threw));
        // Nothing is at work any more, and later calls succeed.
        memory = on_device<int, 1>({-4, -5, -6}, {3}, on);
        emulation::run_all();
        CHECK(on_host(memory, on) == std::vector{-4, -5, -6});
        array.write(DevicePoints{points}, memory).wait();
        CHECK(on_host(array.read(DevicePoints{points}), on) == std::vector{-6, -5, -6});
        CHECK(cudaGetLastError() == cudaSuccess);
      }
      test::check_nothing_left();
    }
  CHECK(k > 10);
}

}  // namespace

TEST_CASE("the k-th call fails in a read of points or of a mask in device memory") {
  check_each_call_fails([](auto const& array, auto const& points, auto const&, auto& memory) {
    array.read(DevicePoints{points}, memory).wait();
  });
  check_each_call_fails([](auto const& array, auto const&, auto const& mask, auto& memory) {
    array.read(DeviceMask{mask}, ArrayView<int, 1, space::Device>{memory.data(), {2}, {1}}).wait();
  });
}

TEST_CASE("the k-th call fails in a write of points in device memory") {
  check_each_call_fails([](auto const& array, auto const& points, auto const&, auto& memory) {
    array.write(DevicePoints{points}, memory).wait();
  });
}

TEST_CASE("the k-th call fails in a fill of points or of a mask in device memory") {
  check_each_call_fails([](auto const& array, auto const& points, auto const&, auto&) {
    array.fill(DevicePoints{points}, 8).wait();
  });
  check_each_call_fails([](auto const& array, auto const&, auto const& mask, auto&) {
    array.fill(DeviceMask{mask}, 8).wait();
  });
}

TEST_CASE("the k-th call fails in a read or a write with conversion of points in device memory") {
  check_each_call_fails([](auto const& array, auto const& points, auto const&, auto& memory) {
    ArrayView<float, 1, space::Device> const floats{reinterpret_cast<float*>(memory.data()), {3}, {1}};
    read_as(array, DevicePoints{points}, floats).wait();
  });
  check_each_call_fails([](auto const& array, auto const& points, auto const&, auto& memory) {
    ArrayView<std::uint32_t, 1, space::Device> const unsigned_ones{reinterpret_cast<std::uint32_t*>(memory.data()), {3},
                                                                   {1}};
    read_as(array, DevicePoints{points}, unsigned_ones).wait();  // which looks for negative ones
    write_as(array, DevicePoints{points}, unsigned_ones).wait();
  });
}

}  // namespace device_points_faults

#endif
