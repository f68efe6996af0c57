// expect: tessera: this array-to-array codec has 'decode' or 'encode', which would not be called because it has 'Layout decoded(Layout) const'
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
#ifndef CURED
  Layout decoded(Layout encoded) const { return encoded; }
#endif
};
void program(LocalStore<HostBuffer> store, std::span<float> memory) {
  open_array<float, 3, Codecs<Delta, codec::Bytes>>(store, "a").read(all, memory);
}
