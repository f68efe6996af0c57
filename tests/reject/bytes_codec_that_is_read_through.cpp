// expect: tessera: this array-to-bytes codec has 'decode' or 'encode', which would not be called without 'std::size_t encoded_bound(ChunkSpecification const&) const'
#include <tessera/tessera.hpp>
using namespace tessera;
struct Packed {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "mine.packed";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;
  static Packed from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  Layout layout(ChunkSpecification const& chunk) const { return Layout::c_order(chunk.shape, chunk.type.size); }
  std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const;
  std::size_t encode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const;
#ifdef CURED
  std::size_t encoded_bound(ChunkSpecification const& chunk) const { return chunk.size_in_bytes(); }
#endif
};
void program(LocalStore<HostBuffer> store, std::span<float> memory) {
  open_array<float, 3, Pipeline<space::Host, Packed>>(store, "a").read(all, memory);
}
