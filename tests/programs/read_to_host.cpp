#include <iostream>
#include <tessera/all.hpp>
int main() {
  auto const t1 = tessera::open<std::uint8_t, 3>("examples/data/brain.zarr", "t1");
  auto const slice = t1.read({tessera::all, tessera::all, {94, 95}});
  std::cout << int{slice(98, 116, 0)} << '\n';
}
