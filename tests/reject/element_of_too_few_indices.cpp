// expect: tessera: an element has one index for each dimension of its array
#include <tessera/tessera.hpp>
using namespace tessera;
float program(OwnedArray<float, 3, HostBuffer> array) {
#ifdef CURED
  return array(1, 2, 3);
#else
  return array(1, 2);
#endif
}
