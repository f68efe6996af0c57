// expect: tessera: pass one integer index for each dimension of the array
#include <tessera/tessera.hpp>
using namespace tessera;
float program(OwnedArray<float, 3, HostBuffer> array) {
#ifdef CURED
  return array(1, 2, 3);
#else
  return array(1, 2);
#endif
}
