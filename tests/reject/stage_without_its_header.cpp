// expect: tessera: codec::Gzip needs its header: include tessera/with/deflate.hpp and link tessera::deflate
#include <tessera/tessera.hpp>
#ifdef CURED
#include <tessera/with/deflate.hpp>
#endif
using namespace tessera;
using Stored = Pipeline<space::Host, codec::Bytes, codec::Gzip>;
auto program(LocalStore<HostBuffer> store) { return open_array<float, 2, Stored>(store, "a").read(all); }
