// expect: tessera: a new array needs the codecs of one pipeline: pass a Pipeline<space, codecs...>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, Queue<space::Host> on) {
  NewArray<float> const wanted{.shape = {4}, .chunks = {2}};
#ifdef CURED
  auto array = create_array<float, 1>(store, "a", wanted, Pipeline<space::Host, codec::Bytes>{}, on);
#else
  auto array = create_array<float, 1>(store, "a", wanted, on);
#endif
  array.fill(all, 1.f);
}
