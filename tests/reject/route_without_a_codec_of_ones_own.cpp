// expect: tessera: no route: the list lacks a codec of the chain: add one with the 'name' in the chain
#include <tessera/pipeline/route.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
struct Mine : codec::Crc32c {
  static constexpr std::string_view name = "mine";
};
using Known = Codecs<codec::Bytes, Mine>;
#else
using Known = Codecs<codec::Bytes, codec::Crc32c>;
#endif
using P = Route<Known, space::Host, space::Host, Chain<"bytes", "mine">>;
static_assert(P::crossings == 0);
