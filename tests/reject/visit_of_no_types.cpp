// expect: tessera: visit<...> needs the possible element types and numbers of dimensions: visit<Types<float, double>, Ranks<2, 3>>(array, f)
#include <tessera/array/visit.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  visit<Types<float, double>>(open_any(store, "a"), [](auto const& typed) { (void)typed.size(); });
#else
  visit<float, double>(open_any(store, "a"), [](auto const& typed) { (void)typed.size(); });
#endif
}
