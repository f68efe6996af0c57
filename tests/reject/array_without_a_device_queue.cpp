// expect: tessera: chunks of this array pass through memory other than host memory: include <tessera/tessera.cuh>
#include <tessera/tessera.hpp>
#ifdef CURED
#include <tessera/tessera.cuh>
#endif
using namespace tessera;
using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>, CastTo<space::Host>>;
auto program(LocalStore<HostBuffer> store) { return open_array<float, 3, Stored>(store, "a"); }
