// expect: tessera: this bytes-to-bytes codec lacks 'std::size_t encoded_bound(std::size_t) const', which returns the largest encoded size for a decoded size
#include <string_view>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Same {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "same";
#ifdef CURED
  std::size_t encoded_bound(std::size_t size) const { return size; }
#endif
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host>, Queue<space::Host>&) const { return from.size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host>, Queue<space::Host>&) const { return from.size; }
};
void program(LocalStore<HostBuffer> store) {
  open_array<float, 2, Pipeline<space::Host, codec::Bytes, Same>>(store, "a").read(all);
}
