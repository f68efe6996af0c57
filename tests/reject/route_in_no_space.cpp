// expect: tessera: no route: a codec of the list runs in none of these spaces: host, device, the elements' space and the stored bytes' space
#include <tessera/pipeline/route.hpp>
using namespace tessera;
struct Elsewhere : codec::Crc32c {
  static constexpr std::string_view name = "elsewhere";
  template <class S>
#ifdef CURED
  static constexpr bool runs_in = std::same_as<S, space::Host>;
#else
  static constexpr bool runs_in = false;
#endif
};
using P = Route<Codecs<codec::Bytes, Elsewhere>, space::Host, space::Host, Chain<"bytes", "elsewhere">>;
static_assert(P::crossings == 0);
