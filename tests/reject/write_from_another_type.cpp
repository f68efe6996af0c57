// expect: tessera: the elements of this memory are of another type than the array's; give memory of the type
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
