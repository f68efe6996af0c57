// expect: tessera: a codec that changes values cannot come before a codec::Sharding, whose chunks are read one by one: put it into the pipeline of the inner chunks
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
using P = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, Delta, codec::Bytes>>>;
#else
using P = Pipeline<space::Host, Delta, codec::Sharding<Pipeline<space::Host, codec::Bytes>>>;
#endif
static_assert(P::is_sharded);
