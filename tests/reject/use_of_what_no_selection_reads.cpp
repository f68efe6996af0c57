// expect: tessera: the first argument must be a selection: all, a box of one slice for each dimension, e.g. {{0, 64},
// all, 3}, or Orthogonal, Points, a Mask or Blocks
#include <tessera/tessera.hpp>
using namespace tessera;
float sum_of(ArrayView<float const, 3> view) { return view(0, 0, 0); }
float program(LocalStore<HostBuffer> store) {
  auto const array = open_array<float, 3>(store, "a");
#ifdef CURED
  auto const part = array.read(all);
#else
  auto const part = array.read();
#endif
  float sum = sum_of(part.view()) + sum_of(part.sub({{0, 1}, all, all})) + part.at(0, 0, 0);
  for (float const x : part) sum += x;
  return sum + part[{0, 1, 2}] + part.data()[0];
}
