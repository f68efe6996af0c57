// expect: tessera: a stage of a pipeline is a codec (with 'kind' and 'name') or CastTo<space>
#include <tessera/tessera.hpp>
using namespace tessera;
struct Checksum {};
#ifdef CURED
using P = Pipeline<space::Host, codec::Bytes>;
#else
using P = Pipeline<space::Host, codec::Bytes, Checksum>;
#endif
static_assert(P::crossings == 0);
