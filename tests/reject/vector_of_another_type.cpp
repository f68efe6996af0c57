// expect: tessera: the elements of this memory are of another type than the array's; give memory of the type
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
