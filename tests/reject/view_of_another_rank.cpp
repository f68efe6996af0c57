// expect: tessera: this memory has another number of dimensions than the array; give an ArrayView of as many
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
