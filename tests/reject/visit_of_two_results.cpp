// expect: tessera: what visits an array returns the same type for each of the element types
#include <tessera/array/visit.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  visit(open_any(store, "a"), [](auto const& typed) { return typed.size(); });
#else
  visit(open_any(store, "a"), [](auto const& typed) { return typed.fill_value(); });
#endif
}
