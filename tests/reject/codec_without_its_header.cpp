// expect: tessera: codec::Zstd needs its header: include tessera/with/zstd.hpp and link tessera::zstd
#include <tessera/tessera.hpp>
#ifdef CURED
#include <tessera/with/zstd.hpp>
#endif
using namespace tessera;
auto program(LocalStore<HostBuffer> store) {
  return open_array<float, 2, Codecs<codec::Bytes, codec::Zstd>>(store, "a").read(all);
}
