// expect: tessera: this codec of values needs 'void decode(std::span<T const>, std::span<T>) const' for integers, float or double, or 'decode' for bytes or a batch
#include <tessera/tessera.hpp>
using namespace tessera;
struct Mine {
  using kind = array_to_array;
  static constexpr std::string_view name = "mine";
  void encode(std::span<float const>, std::span<float>) const {}
#ifdef CURED
  void decode(std::span<float const>, std::span<float>) const {}
#else
  void decode(std::span<float>, std::span<float>) const {}
#endif
};
void program(LocalStore<HostBuffer> store, std::span<float> memory) {
  open_array<float, 3, Pipeline<space::Host, Mine, codec::Bytes>>(store, "a").read(all, memory);
}
