// expect: tessera: no route: for an array with shards name the codecs of the inner chunks: Shards<Chain
#include <tessera/pipeline/route.hpp>
using namespace tessera;
#ifdef CURED
using P = Route<BuiltInCodecs, space::Host, space::Host, Shards<Chain<"bytes", "crc32c">>>;
#else
using P = Route<BuiltInCodecs, space::Host, space::Host, Chain<"sharding_indexed">>;
#endif
static_assert(P::crossings == 0);
