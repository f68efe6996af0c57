// expect: tessera: the number of dimensions of this memory differs from the array's; pass an ArrayView of Rank dimensions
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, ArrayView<float, 1> line, ArrayView<float, 3> volume, Points const& points) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  (void)volume;
  array.read(points, line);
#else
  (void)line;
  array.read(points, volume);
#endif
}
