// expect: tessera: this array-to-array codec works on elements, which keep their type, so it must not have 'encoded'; a codec that changes the type works on bytes
#include <tessera/tessera.hpp>
using namespace tessera;
struct Mine {
  using kind = array_to_array;
  static constexpr std::string_view name = "mine";
#ifndef CURED
  ChunkSpecification encoded(ChunkSpecification chunk) const { return chunk; }
#endif
  void encode(std::span<float const>, std::span<float>) const {}
  void decode(std::span<float const>, std::span<float>) const {}
};
void program(LocalStore<HostBuffer> store, std::span<float> memory) {
  open_array<float, 3, Pipeline<space::Host, Mine, codec::Bytes>>(store, "a").read(all, memory);
}
