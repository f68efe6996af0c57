// expect: tessera: pass codecs as a Pipeline<space, codecs...>, exactly these, or, to open an array, as a Codecs<codecs...>, those that the file may name
#include <tessera/tessera.hpp>
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
#ifdef CURED
  return open_array<float, 3, Codecs<codec::Bytes, codec::Crc32c>>(store, "a");
#else
  return open_array<float, 3, codec::Bytes, codec::Crc32c>(store, "a");
#endif
}
