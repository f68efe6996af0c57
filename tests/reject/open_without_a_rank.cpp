// expect: tessera: open_array needs the number of dimensions: open_array<float, 3>(store, path); if only
#include <tessera/tessera.hpp>
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
#ifdef CURED
  return open_array<float, 3>(store, "a").read(all);
#else
  return open_array<float>(store, "a").read(all);
#endif
}
