// expect: tessera: no route to write: for a codec of the chain the list has only implementations that decode: add one that also encodes
#include <tessera/pipeline/route.hpp>
using namespace tessera;
struct Decoder {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "packed";
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const { return 0; }
};
using Known = Codecs<codec::Bytes, Decoder>;
#ifdef CURED
using P = Route<Known, space::Host, space::Host, Chain<"bytes", "packed">>;
#else
using P = WritableRoute<Known, space::Host, space::Host, Chain<"bytes", "packed">>;
#endif
static_assert(P::crossings == 0);
