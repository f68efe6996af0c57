// expect: tessera: this codec has 'encoded_range', 'encoded_part', 'index_size', 'decodes_parts', 'part_memory' or 'decodes_in_order', which would not be used without 'decode_part'
#include <string_view>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Same {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "same";
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host>, Queue<space::Host>&) const { return from.size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host>, Queue<space::Host>&) const { return from.size; }
  ByteRange encoded_range(ByteRange part) const { return part; }
#ifdef CURED
  std::size_t decode_part(ByteView<space::Host>, ByteSpan<space::Host> to, ChunkPart, Queue<space::Host>&) const {
    return to.size;
  }
#endif
};
void program(LocalStore<HostBuffer> store) {
  open_array<float, 2, Pipeline<space::Host, codec::Bytes, Same>>(store, "a").read(all);
}
