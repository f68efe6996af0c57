// expect: tessera: the element type of this memory differs from the array's
#include <vector>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  open_array<float, 1>(store, "a").append(std::vector<float>{1, 2});
#else
  open_array<float, 1>(store, "a").append(std::vector<double>{1, 2});
#endif
}
