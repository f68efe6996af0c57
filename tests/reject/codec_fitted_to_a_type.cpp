// expect: tessera: this codec's 'fitted' takes a DataType, and would not be called: it must be 'C fitted(ChunkSpecification const&) const', whose argument has the DataType as '.type'
#include <string_view>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Same {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "same";
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host>, Queue<space::Host>&) const { return from.size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host>, Queue<space::Host>&) const { return from.size; }
#ifdef CURED
  Same fitted(ChunkSpecification const&) const { return *this; }
#else
  Same fitted(DataType) const { return *this; }
#endif
};
void program(LocalStore<HostBuffer> store) {
  open_array<float, 2, Pipeline<space::Host, codec::Bytes, Same>>(store, "a").read(all);
}
