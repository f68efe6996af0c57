// expect: tessera: a new array has the codecs of one pipeline: give a Pipeline<space, codecs...>; a Codecs<...> is what files to be opened may name
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  Pipeline<space::Host, codec::Bytes, codec::Crc32c> const codecs;
#else
  codec::Crc32c const codecs;
#endif
  auto array = create_array<float, 1>(store, "a", {.shape = {4}, .chunk_shape = {2}}, codecs);
  array.fill(all, 1.f);
}
