// expect: tessera: no route: the chain is out of order; it is any array-to-array codecs, then one array-to-bytes codec, then any bytes-to-bytes codecs
#include <tessera/pipeline/route.hpp>
using namespace tessera;
#ifdef CURED
using P = Route<BuiltInCodecs, space::Host, space::Host, Chain<"transpose", "bytes", "crc32c">>;
#else
using P = Route<BuiltInCodecs, space::Host, space::Host, Chain<"bytes", "transpose", "crc32c">>;
#endif
static_assert(P::crossings == 0);
