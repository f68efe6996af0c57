// expect: tessera: the function passed to visit must return the same type for each element type
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
