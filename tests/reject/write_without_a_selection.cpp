// expect: tessera: the first argument must be a selection: all, a box of one slice for each dimension, e.g. {{0, 64}, all, 3}, or Orthogonal, Points, a Mask or Blocks
#include <vector>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<float> const& memory) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  array.write(all, memory);
#else
  array.write(memory);
#endif
}
