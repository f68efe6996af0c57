// Points in device memory of structs, whose components of several sizes are swapped one by one.
#include <device/points/points.hpp>

#include <bit>
#include <cstdint>
#include <vector>

#include <tessera/core/types/record.hpp>

namespace device_points_structs {
struct __attribute__((packed)) Uneven {
  std::uint8_t flags;
  std::int32_t id;
  double value;
  friend bool operator==(Uneven const& a, Uneven const& b) {
    return a.flags == b.flags && a.id == b.id && a.value == b.value;
  }
};
}  // namespace device_points_structs

using device_points_structs::Uneven;
template <>
struct tessera::element_traits<Uneven>
    : tessera::record<Uneven, tessera::member<"flags", &Uneven::flags>, tessera::member<"id", &Uneven::id>,
                      tessera::member<"value", &Uneven::value>> {};

TEST_CASE("points in device memory of structs in either byte order") {
  using namespace tessera;
  using test::on_device, test::on_host;
  std::vector<Uneven> given;
  for (int i = 0; i < 99; ++i)
    given.push_back({static_cast<std::uint8_t>(i), 0x1020304 * i, static_cast<double>(i) / 3});
  Uneven const fill{255, -2, 0.5};
  test::under_seeds(4, [&] {
    for (auto const order : {std::endian::little, std::endian::big}) {
      test::DeviceQueue on{test::HostQueue{1}};
      auto const array = create_array<Uneven, 2>(MemoryStore<HostBuffer>{}, "a",
                                                 {.shape = {9, 11}, .chunks = {3, 4}, .fill = fill},
                                                 test::FromHost{codec::Bytes{order}, CastTo<space::Host>{}}, on);
      test::Coordinates coordinates;
      for (std::int64_t i = 0; i < 60; ++i) coordinates.insert(coordinates.end(), {i * 7 % 9, i * 5 % 11});
      auto expected = std::vector<Uneven>(99, fill);
      std::vector<Uneven> some(given.begin(), given.begin() + 60), read;
      for (std::size_t i = 0; i < 60; ++i)
        expected[static_cast<std::size_t>(coordinates[2 * i] * 11 + coordinates[2 * i + 1])] = some[i];
      auto const points = test::points_on_device(coordinates, 2, on);
      array.write(DevicePoints{points}, on_device<Uneven, 1>(some, {60}, on)).wait();
      CHECK(on_host(array.read(all), on) == expected);
      CHECK(on_host(array.read(DevicePoints{points}), on) == some);
    }
  });
}
