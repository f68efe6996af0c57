// expect: tessera: codec::Zstd needs its header: include tessera/with/zstd.hpp and link tessera::zstd
#include <tessera/pipeline/route.hpp>
#ifdef CURED
#include <tessera/with/zstd.hpp>
#endif
using namespace tessera;
using P = Route<Codecs<codec::Bytes, codec::Zstd>, space::Host, space::Host, Chain<"bytes", "zstd">>;
static_assert(P::crossings == 0);
