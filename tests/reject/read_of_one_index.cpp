// expect: tessera: the first argument must be a selection: all, a box of one slice for each dimension, e.g. {{0, 64}, all, 3}, or Orthogonal, Points, a Mask or Blocks
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  array.read({3, all, all});
#else
  array.read(3);
#endif
}
