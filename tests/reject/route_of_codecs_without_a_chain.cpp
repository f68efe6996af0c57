// expect: tessera: the codecs of a route are a Chain of the names in zarr.json
#include <tessera/pipeline/route.hpp>
using namespace tessera;
#ifdef CURED
using P = Route<BuiltInCodecs, space::Host, space::Host, Chain<"bytes", "crc32c">>;
#else
using P = Route<BuiltInCodecs, space::Host, space::Host, Codecs<codec::Bytes, codec::Crc32c>>;
#endif
static_assert(P::crossings == 0);
