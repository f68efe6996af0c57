// expect: tessera: this mask is in device memory, which the host cannot access
#include <tessera/tessera.cuh>
using namespace tessera;
Mask program(ArrayView<bool, 3> here, ArrayView<bool, 3, space::Device> there) {
#ifdef CURED
  (void)there;
  return Mask{here};
#else
  (void)here;
  return Mask{there};
#endif
}
