// expect: tessera: codecs out of order; a pipeline is any array-to-array codecs, then one array-to-bytes codec
#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
using P = Pipeline<space::Host, codec::Transpose, codec::Bytes>;
#else
using P = Pipeline<space::Host, codec::Bytes, codec::Bytes>;
#endif
static_assert(P::crossings == 0);
