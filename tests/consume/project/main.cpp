// Writes an array, and reads it in the other parts. Exit status 0: they agree.
#include <cstddef>
#include <iostream>
#include <numeric>
#include <vector>

#include <tessera/tessera.hpp>

#include "parts.hpp"

int main() try {
  using namespace tessera;
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<float, 2>(store, "a", {.shape = {10, 6}, .chunks = {4, 6}});
  std::vector<float> values(60);
  std::iota(values.begin(), values.end(), 1.0F);
  array.write(all, values);

  auto const again = open_array<float, 2>(store, "a").read({{0, 10, 9}, all});
  bool agree = again(1, 5) == 60.0F && size_of(store, "a/c/2/0") == 96 && size_of(store, "a/c/3/0") == 0;
#ifdef WITH_LIBRARY
  agree = agree && total(store, "a") == 60 * 61 / 2;
  try {
    total(store, "nothing");
    agree = false;
  } catch (MetadataError const& error) {  // thrown in the library, caught here by its type
    agree = agree && error.key() == "nothing/zarr.json";
  }
#endif
  std::cout << "tessera " << version << (agree ? ": all parts agree\n" : ": the parts do not agree\n");
  return agree ? 0 : 1;
} catch (tessera::Error const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
