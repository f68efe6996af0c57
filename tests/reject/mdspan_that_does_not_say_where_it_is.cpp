// expect: tessera: this mdspan does not declare its memory space: pass tessera::array_view<tessera::space::Device>(memory)
// tessera::array_view<tessera::space::Device>(memory)
#include <cstddef>

#include <tessera/tessera.hpp>
using namespace tessera;
// Like cuda::std::mdspan.
struct Accessor {};
struct Mdspan1 {
  using element_type = float;
  using reference = float&;
  using accessor_type = Accessor;
  float* first;
  std::size_t length;
  static constexpr std::size_t rank() { return 1; }
  float* const& data_handle() const { return first; }
  std::size_t extent(std::size_t) const { return length; }
  static std::size_t stride(std::size_t) { return 1; }
};
void program(LocalStore<HostBuffer> store, Mdspan1 memory) {
#ifdef CURED
  open_array<float, 1>(store, "a").read(all, array_view<space::Host>(memory));
#else
  open_array<float, 1>(store, "a").read(all, memory);
#endif
}
