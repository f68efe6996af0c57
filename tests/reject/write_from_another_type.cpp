// expect: tessera: the element type of this memory differs from the array's; pass memory of type T as in open_array<T, ...>
#include <vector>

#include <tessera/tessera.hpp>

using namespace tessera;

void write(LocalStore<HostBuffer> store, std::vector<double> const& doubles, std::vector<float> const& floats) {
  auto array = open_array<float, 1>(store, "a");
#ifdef CURED
  array.write(all, floats);
  (void)doubles;
#else
  array.write(all, doubles);
  (void)floats;
#endif
}
