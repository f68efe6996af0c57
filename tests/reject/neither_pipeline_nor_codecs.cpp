// expect: tessera: the third argument of open_array is a Pipeline<space, codecs...> or a Codecs<codecs...>
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
