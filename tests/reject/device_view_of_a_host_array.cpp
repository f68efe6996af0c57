// expect: tessera: this memory is in a different memory space from the array's elements; open the array
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, ArrayView<float, 3> here, ArrayView<float, 3, space::Device> there) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  (void)there;
  array.read(all, here);
#else
  (void)here;
  array.read(all, there);
#endif
}
