// Uses a custom store and a custom codec: the cost of parts that no library has compiled.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

struct Values {
  using buffer_type = HostBuffer;

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>&) const {
    auto const found = values.find(key.path);
    if (found == values.end()) return std::nullopt;
    auto const [offset, size] = range.resolve(found->second.size());
    std::memcpy(destination(size).data, found->second.data() + offset, size);
    return size;
  }

  std::map<std::string, std::string> values{};
};

struct Inverted {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.inverted";
  template <class Space>
  static constexpr bool runs_in = std::is_same_v<Space, space::Host>;

  static Inverted from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    return decode(from, to);
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    if (from.size > to.size) throw CodecError{"more bytes than expected"};
    return decode(from, to);
  }

 private:
  static std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to) {
    for (std::size_t i = 0; i < from.size; ++i) to.data[i] = ~from.data[i];
    return from.size;
  }
};

int main() {
  auto const array = open_array<std::int32_t, 2, Codecs<codec::Bytes, Inverted, codec::Zstd>>(Values{}, "a");
  auto const elements = array.read(all);
  return elements(0, 0) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
