#include <iostream>
#include <tessera/all.hpp>
#include <tessera/tessera.cuh>
int main() {
  tessera::Queue<tessera::space::Device> on;
  auto const t1 = tessera::open<std::uint8_t, 3>("examples/data/brain.zarr", "t1");
  auto const volume = t1.read<tessera::DeviceBuffer>(tessera::all, on);
  std::cout << volume.shape() << '\n';
}
