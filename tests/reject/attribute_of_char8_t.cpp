// expect: tessera: this type does not convert to a Value: use a bool, a number, text of char, Members, a List, a range of these
#include <tessera/tessera.hpp>
using namespace tessera;
void program(MemoryStore<HostBuffer> store) {
#ifdef CURED
  create_group(store, "g", {{"unit", "\u00b5m"}});
#else
  create_group(store, "g", {{"unit", u8"\u00b5m"}});
#endif
}
