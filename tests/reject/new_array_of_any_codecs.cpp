// expect: tessera: a new array needs the codecs of one pipeline: pass a Pipeline<space, codecs...>; a Codecs<...> is a list of codecs for opening files
#include <string>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(std::string path) {
#ifdef CURED
  Pipeline<space::Host, codec::Bytes> const codecs;
#else
  Codecs<codec::Bytes> const codecs;
#endif
  auto array = create_array<float, 1>(LocalStore<HostBuffer>{path}, "a", {.shape = {4}, .chunks = {2}}, codecs);
  array.fill(all, 1.f);
}
