// expect: tessera: elements of an array in a store have no address: read a part and index that
#include <tessera/tessera.hpp>
using namespace tessera;
float program(LocalStore<HostBuffer> store) {
  auto const array = open_array<float, 3>(store, "a");
#ifdef CURED
  return array.read(all)[{1, 2, 3}];
#else
  return array[{1, 2, 3}];
#endif
}
