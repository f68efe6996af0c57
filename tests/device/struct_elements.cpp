// Structs in device memory: components of several sizes are swapped there, run by run.
#include <cstdint>
#include <vector>

#include <device/arrays.hpp>
#include <tessera/core/types/record.hpp>

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::on_device, test::on_host, test::under_seeds;

namespace struct_tests {
struct __attribute__((packed)) Mixed {
  std::uint8_t flags;
  std::int32_t id;
  double value;
  friend bool operator==(Mixed const& a, Mixed const& b) {
    return a.flags == b.flags && a.id == b.id && a.value == b.value;
  }
};
}  // namespace struct_tests

using struct_tests::Mixed;
template <>
struct tessera::element_traits<Mixed>
    : tessera::record<Mixed, tessera::member<"flags", &Mixed::flags>, tessera::member<"id", &Mixed::id>,
                      tessera::member<"value", &Mixed::value>> {};

TEST_CASE("structs are swapped component by component in device memory, too (CODEC-BYTES-06, DTYPE-21)") {
  std::vector<Mixed> elements;
  for (int i = 0; i < 70; ++i)
    elements.push_back({static_cast<std::uint8_t>(i), 0x1020304 * i, static_cast<double>(i) / 3});
  Mixed const fill{255, -2, 0.5};
  under_seeds(8, [&] {
    for (auto const order : {std::endian::little, std::endian::big}) {
      DeviceQueue on{HostQueue{2}};
      MemoryStore<HostBuffer> const store;
      auto const device = create_array<Mixed, 2>(
          store, "a", {.shape = {9, 11}, .chunks = {3, 4}, .fill = fill},
          test::FromHost{codec::Bytes{order}, CastTo<space::Host>{}}, on);
      device.write({{1, 8}, {0, 10}}, on_device<Mixed, 2>(elements, {7, 10}, on)).wait();
      auto const host = open_array<Mixed, 2, AllCodecs>(store, "a");
      auto const there = host.read(all);
      CHECK(std::vector<Mixed>(there.elements().begin(), there.elements().end()) == on_host(device.read(all), on));
      std::vector<Mixed> part(70);
      host.read({{1, 8}, {0, 10}}, part);
      CHECK(part == elements);
      CHECK(there.elements()[0] == fill);
    }
  });
}
