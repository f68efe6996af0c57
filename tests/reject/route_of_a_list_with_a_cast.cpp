// expect: tessera: a route is chosen from a Codecs<...>, a list of codecs (types with 'kind' and 'name'); it places the casts itself
#include <tessera/pipeline/route.hpp>
using namespace tessera;
#ifdef CURED
using Known = Codecs<codec::Bytes>;
#else
using Known = Codecs<codec::Bytes, CastTo<space::Host>>;
#endif
using P = Route<Known, space::Device, space::Host, Chain<"bytes">>;
static_assert(P::crossings < 2);
