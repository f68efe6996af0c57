// Any bytes as a chunk of strings, and of bytes: elements lie within it, and are encoded to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <tessera/codec/array_to_bytes/vlen.hpp>

using namespace tessera;

namespace {

template <class C>
void decode(std::vector<std::byte> const& from, std::size_t count) {
  static Queue<space::Host> on;
  std::vector<std::byte> elements(count * sizeof(detail::ElementReference)), again(from.size());
  C const codec;
  try {
    if (codec.decode({from.data(), from.size()}, {elements.data(), elements.size()}, on) != elements.size())
      std::abort();
  } catch (CodecError const&) {
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto const element = detail::reference_at(elements.data() + i * sizeof(detail::ElementReference));
    if (element.data < from.data() || element.data + element.size > from.data() + from.size()) std::abort();
  }
  if (codec.encode({elements.data(), elements.size()}, {again.data(), again.size()}, on) != from.size()) std::abort();
  if (again != from) std::abort();
}

}  // namespace

/// The first byte says how many elements are expected.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::byte> from(size - 1);
  if (size > 1) std::memcpy(from.data(), data + 1, size - 1);
  decode<codec::VlenUtf8>(from, data[0]);
  decode<codec::VlenBytes>(from, data[0]);
  return 0;
}
