#include <iostream>

#include <tessera/tessera.hpp>

int main() {
  tessera::MemoryStore<tessera::HostBuffer> const store;
  auto const array = tessera::create_array<int, 1>(store, "a", {.shape = {4}, .chunks = {2}});
  array.fill(tessera::all, 5);
  std::cout << array.read(tessera::all)(3) << '\n';
}
