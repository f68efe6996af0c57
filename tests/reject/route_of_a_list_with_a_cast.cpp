// expect: tessera: what a route may use is a Codecs<...>, a list of codecs (types with 'kind' and 'name'); it finds the places of the casts itself
#include <tessera/pipeline/route.hpp>
using namespace tessera;
#ifdef CURED
using Known = Codecs<codec::Bytes>;
#else
using Known = Codecs<codec::Bytes, CastTo<space::Host>>;
#endif
using P = Route<Known, space::Host, space::Device, Chain<"bytes">>;
static_assert(P::crossings < 2);
