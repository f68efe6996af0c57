// expect: tessera: this type does not convert to a Value: use a bool, a number, text of char, Members, a List, a range of these
#include <tessera/tessera.hpp>
using namespace tessera;
void program(MemoryStore<HostBuffer> store, float const* scale) {
#ifdef CURED
  create_group(store, "g", {{"scale", *scale}});
#else
  create_group(store, "g", {{"scale", scale}});
#endif
}
