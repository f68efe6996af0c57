// expect: tessera: an array is opened with its number of dimensions: open<float, 3>(store, path); where only
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
