// expect: tessera: a store needs the type of its buffers, e.g. LocalStore<HostBuffer>
#include <tessera/tessera.hpp>
using namespace tessera;
auto program() {
#ifdef CURED
  LocalStore<HostBuffer> store{"folder"};
#else
  LocalStore store{"folder"};
#endif
  return sizeof(store);
}
