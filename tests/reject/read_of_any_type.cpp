// expect: tessera: only the file knows what this array's elements are: visit(array, f) of <tessera/array/visit.hpp> calls f with the array as one of their type,
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
