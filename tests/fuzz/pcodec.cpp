// Any bytes as a file of pcodec: the first two are the number of elements, the third one their type.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <tessera/codec/array_to_bytes/pcodec.hpp>

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 3) return 0;
  std::uint64_t const count = data[0] + std::uint64_t{256} * data[1];
  ChunkSpecification const chunk{{count}, detail::pco_type(1u + data[2] % 11u)};
  std::vector<std::byte> to(chunk.size_in_bytes()), from(size - 3);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::byte{data[i + 3]};
  static Queue<space::Host> on;
  try {
    auto const made = codec::Pcodec{}.decode(chunk, {from.data(), from.size()}, {to.data(), to.size()}, on);
    if (made != to.size()) std::abort();
  } catch (CodecError const&) {
  }
  return 0;
}
