// expect: tessera: a new array needs the codecs of one pipeline: pass a Pipeline<space, codecs...>; a Codecs<...> is a list of codecs for opening files
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  Pipeline<space::Host, codec::Bytes, codec::Crc32c> const codecs;
#else
  codec::Crc32c const codecs;
#endif
  auto array = create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {2}}, codecs);
  array.fill(all, 1.f);
}
