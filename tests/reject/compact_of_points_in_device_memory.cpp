// expect: tessera: compact takes a selection in host memory: a Box, `all`, Orthogonal, Points, a Mask or Blocks
#include <tessera/tessera.hpp>
using namespace tessera;
struct Listed {  // as DevicePoints, which need nvcc
  using list_space = space::Device;
};
void program(LocalStore<HostBuffer> store, Listed listed) {
  auto const array = open_array<float, 3>(store, "a");
#ifdef CURED
  (void)listed;
  (void)array.compact(all);
#else
  (void)array.compact(listed);
#endif
}
