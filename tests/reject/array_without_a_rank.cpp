// expect: tessera: an array's type includes its rank, store and codecs: write auto, a template parameter, or
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  auto const array = open_array<float, 3>(store, "a");
#else
  Array<float> const array = open_array<float, 3>(store, "a");
#endif
  (void)array;
}
