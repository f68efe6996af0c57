// expect: tessera: the element type of this array is known only at run time: visit(array, f) of <tessera/array/visit.hpp> calls f with a typed array,
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto array = open_any(store, "a");
#ifdef CURED
  auto part = array.as<float, 2>().read({{0, 4}, all});
#else
  auto part = array.read({{0, 4}, all});
#endif
  (void)part;
}
