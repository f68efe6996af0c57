// expect: tessera: open needs the number of dimensions: open<float, 3>(store, path); if only the file has it
#include <tessera/all.hpp>
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
#ifdef CURED
  (void)open(store, "a").shape();
  return open<float, 3>(store, "a").read(all);
#else
  return open<float>(store, "a").read(all);
#endif
}
