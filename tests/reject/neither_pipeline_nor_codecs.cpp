// expect: tessera: pass codecs as a Pipeline<space, codecs...>, exactly these, or, to open an array, as a Codecs<codecs...>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  auto array = open_array<float, 3, Codecs<codec::Bytes>>(store, "a");
#else
  auto array = open_array<float, 3, codec::Bytes>(store, "a");
#endif
  (void)array;
}
