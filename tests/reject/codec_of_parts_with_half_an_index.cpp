// expect: tessera: this codec needs both 'index_size' and 'encoded_part', or only 'encoded_range', or only 'decodes_in_order', or none of them
#include <string_view>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Same {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "same";
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host>, Queue<space::Host>&) const { return from.size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host>, Queue<space::Host>&) const { return from.size; }
  std::size_t decode_part(ByteView<space::Host>, ByteSpan<space::Host> to, ChunkPart, Queue<space::Host>&) const {
    return to.size;
  }
  std::size_t index_size(std::size_t) const { return 4; }
#ifdef CURED
  ChunkPart encoded_part(ByteView<space::Host>, ChunkPart part) const { return part; }
#endif
};
void program(LocalStore<HostBuffer> store) {
  open_array<float, 2, Pipeline<space::Host, codec::Bytes, Same>>(store, "a").read(all);
}
