// expect: tessera: a pipeline needs one array-to-bytes codec, e.g. codec::Bytes
#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
using P = Pipeline<space::Host, codec::Transpose, codec::Bytes>;
#else
using P = Pipeline<space::Host, codec::Transpose>;
#endif
static_assert(P::crossings == 0);
