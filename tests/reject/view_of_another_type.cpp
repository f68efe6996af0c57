// expect: tessera: the element type of this memory differs from the array's; pass memory of type T as in open_array<T, ...>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, ArrayView<float, 3> floats, ArrayView<double, 3> doubles) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  (void)doubles;
  array.read(all, floats);
#else
  (void)floats;
  array.read(all, doubles);
#endif
}
