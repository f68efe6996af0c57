// expect: tessera: a new array has the codecs of one pipeline: give a Pipeline<space, codecs...>; a Codecs<...> is what files to be opened may name
#include <string>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(std::string path) {
#ifdef CURED
  Pipeline<space::Host, codec::Bytes> const codecs;
#else
  Codecs<codec::Bytes> const codecs;
#endif
  auto array = create_array<float, 1>(LocalStore<HostBuffer>{path}, "a", {.shape = {4}, .chunk_shape = {2}}, codecs);
  array.fill(all, 1.f);
}
