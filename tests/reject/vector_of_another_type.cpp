// expect: tessera: the element type of this memory differs from the array's; pass memory of type T as in open_array<T, ...>
#include <vector>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  std::vector<float> memory(array.size());
#else
  std::vector<double> memory(array.size());
#endif
  array.read(all, memory);
}
