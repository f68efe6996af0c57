#include <iostream>
#include <tessera/tessera.hpp>
using namespace tessera;
struct Flip {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.flip";
  static Flip from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    return decode(from, to, on);
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    if (from.size > to.size) throw CodecError{"more bytes than expected"};
    for (std::size_t i = 0; i < from.size; ++i) to.data[i] = ~from.data[i];
    return from.size;
  }
};
int main(int, char** to) {
  auto a = create_array<int, 1>(to[1], "a", {.shape = {8}, .chunks = {4}}, Pipeline<space::Host, codec::Bytes, Flip>{});
  a.fill(all, 5);
  std::cout << a.read(all)(7) << '\n';
}
