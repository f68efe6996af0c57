// expect: tessera: this codec cannot run in the memory space its input is in; put CastTo<...> before it
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>
using namespace tessera;
#ifdef CURED
using P = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;
#else
using P = Pipeline<space::Device, codec::Bytes, codec::Zstd>;
#endif
static_assert(P::crossings >= 0);
