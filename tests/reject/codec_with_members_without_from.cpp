// expect: tessera: this codec has members but lacks 'static C from(ObjectReader&)', which sets them from the
// configuration in zarr.json
#include <tessera/tessera.hpp>
using namespace tessera;
struct Mine {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "mine";
#ifndef CURED
  unsigned mask = 1;
#endif
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const;
};
void program(LocalStore<HostBuffer> store, std::span<float> memory) {
  open_array<float, 3, Pipeline<space::Host, codec::Bytes, Mine>>(store, "a").read(all, memory);
}
