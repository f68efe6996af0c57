// expect: tessera: a codec's name must be a static member: 'static constexpr std::string_view name = ...'
#include <string_view>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Reversed {
  using kind = bytes_to_bytes;
#ifdef CURED
  static constexpr std::string_view name = "reversed";
#else
  std::string_view name = "reversed";
#endif
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host> to, Queue<space::Host>&) const { return to.size; }
  std::size_t encode(ByteView<space::Host>, ByteSpan<space::Host> to, Queue<space::Host>&) const { return to.size; }
};
auto program(LocalStore<HostBuffer> store) {
  return open_array<int, 1, Codecs<codec::Bytes, Reversed>>(store, "a");
}
