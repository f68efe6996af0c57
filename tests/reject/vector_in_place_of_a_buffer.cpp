// expect: tessera: read<...> names the type of a buffer, which the new array owns: HostBuffer, or with <tessera/tessera.cuh> PinnedBuffer or DeviceBuffer; to read into memory of your own, pass it: read(all, memory)
#include <vector>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  std::vector<float> memory(array.size());
  array.read(all, memory);
#else
  auto const memory = array.read<std::vector<float>>(all);
  (void)memory;
#endif
}
