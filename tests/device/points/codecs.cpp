// Points of arrays whose chunks kernels decode: the headers of both go together.
#include <device/points/points.hpp>

#include <support/made_codec.hpp>
#include <tessera/codec/on_device.cuh>

using namespace tessera;
using test::DeviceQueue, test::on_device, test::on_host, test::points_on_device, test::under_seeds;

namespace device_point_codec_tests {

TEST_CASE("points in device memory of an array with differences, which kernels sum up") {
  under_seeds(4, [] {
    using P = Pipeline<space::Device, codec::OnDevice<codec::Delta>, codec::Bytes, CastTo<space::Host>>;
    DeviceQueue on{Queue<space::Host>{1}};
    codec::OnDevice<codec::Delta> const delta{test::made<codec::Delta>(R"({"dtype": "<i4"})")};
    auto const array = create_array<std::int32_t, 1>(
        MemoryStore<HostBuffer>{}, "a", {.shape = {100}, .chunks = {30}}, P{delta, {}, {}}, on);
    std::vector<std::int32_t> elements;
    for (int i = 0; i < 100; ++i) elements.push_back(i * i);
    array.write(all, on_device<std::int32_t, 1>(elements, {100}, on)).wait();
    auto const points = points_on_device({99, 0, 45, 31}, 1, on);
    CHECK(on_host(array.read(DevicePoints{points}), on) == std::vector<std::int32_t>{99 * 99, 0, 45 * 45, 31 * 31});
  });
}

}  // namespace device_point_codec_tests
