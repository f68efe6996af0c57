// expect: tessera: this codec lacks 'std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const'
#include <tessera/tessera.hpp>
using namespace tessera;
struct Mine {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "mine";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;
  static Mine from(ObjectReader&) { return {}; }
  std::size_t encoded_bound(std::size_t size) const { return size; }
#ifdef CURED
  std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const;
#else
  std::size_t decode(std::span<std::byte const>, std::span<std::byte>) const;
#endif
};
void program(LocalStore<HostBuffer> store, std::span<float> memory) {
  open_array<float, 3, Pipeline<space::Host, codec::Bytes, Mine>>(store, "a").read(all, memory);
}
