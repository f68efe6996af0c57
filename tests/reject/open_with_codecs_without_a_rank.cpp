// expect: tessera: open_array needs the number of dimensions: open_array<float, 3>(store, path); if only
#include <tessera/tessera.hpp>
using namespace tessera;
auto program(LocalStore<HostBuffer> store, Queue<space::Host> on) {
#ifdef CURED
  return open_array<float, 3, Codecs<codec::Bytes>>(store, "a", on).read(all);
#else
  return open_array<float, Codecs<codec::Bytes>>(store, "a", on).read(all);
#endif
}
