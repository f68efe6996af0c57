// expect: tessera: this codec cannot run in the memory space its input is in; put CastTo<...> before it
#include <tessera/tessera.hpp>
using namespace tessera;
struct Delta {
  using kind = array_to_array;
  static constexpr std::string_view name = "mine.delta";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;
  static Delta from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  ChunkSpecification encoded(ChunkSpecification chunk) const { return chunk; }
  std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const;
  std::size_t encode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const;
};
#ifdef CURED
using P = Pipeline<space::Device, CastTo<space::Host>, Delta, codec::Bytes>;
#else
using P = Pipeline<space::Device, Delta, codec::Bytes, CastTo<space::Host>>;
#endif
static_assert(P::crossings == 1);
