// expect: tessera: a mask is contiguous memory of bool or std::uint8_t, or an ArrayView of these, with as many elements as the array: use a std::vector<std::uint8_t>, because a std::vector<bool> holds bits
#include <vector>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  std::vector<std::uint8_t> is_large(array.size());
  array.read(Mask{is_large});
#else
  std::vector<bool> is_large(array.size());
  array.read(Mask{is_large});
#endif
}
