// expect: tessera: a Value is made of a bool, a number, text of char, Members, a List or a range of such
#include <tessera/tessera.hpp>
using namespace tessera;
void program(MemoryStore<HostBuffer> store, float const* scale) {
#ifdef CURED
  create_group(store, "g", {{"scale", *scale}});
#else
  create_group(store, "g", {{"scale", scale}});
#endif
}
