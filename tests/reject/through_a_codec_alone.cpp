// expect: tessera: pass codecs as a Pipeline<space, codecs...>, exactly these, or, to open an array, as a Codecs<codecs...>
#include <tessera/tessera.hpp>
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  return array.through<Pipeline<space::Host, codec::Bytes>>().read(all);
#else
  return array.through<codec::Zstd>().read(all);  // only declared here
#endif
}
