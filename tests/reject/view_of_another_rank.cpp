// expect: tessera: the number of dimensions of this memory differs from the array's; pass an ArrayView of Rank dimensions
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, ArrayView<float, 2> plane, ArrayView<float, 3> volume) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  (void)plane;
  array.read(all, volume);
#else
  (void)volume;
  array.read(all, plane);
#endif
}
