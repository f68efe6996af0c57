// expect: tessera: a codec's kind is one of three: 'using kind = tessera::array_to_array', 'array_to_bytes' or
#include <string_view>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Reversed {
#ifdef CURED
  using kind = bytes_to_bytes;
#else
  using kind = int;
#endif
  static constexpr std::string_view name = "reversed";
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host> to, Queue<space::Host>&) const { return to.size; }
  std::size_t encode(ByteView<space::Host>, ByteSpan<space::Host> to, Queue<space::Host>&) const { return to.size; }
};
auto program(LocalStore<HostBuffer> store) {
  return create_array<int, 1>(store, "a", {.shape = {4}}, Pipeline<space::Host, codec::Bytes, Reversed>{});
}
