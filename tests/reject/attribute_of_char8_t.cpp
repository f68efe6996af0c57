// expect: tessera: a Value is made of a bool, a number, text of char, Members, a List or a range of such
#include <tessera/tessera.hpp>
using namespace tessera;
void program(MemoryStore<HostBuffer> store) {
#ifdef CURED
  create_group(store, "g", {{"unit", "\u00b5m"}});
#else
  create_group(store, "g", {{"unit", u8"\u00b5m"}});
#endif
}
