// expect: tessera: found a device queue, expected a host queue: pass queue.host()
#include <vector>

#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<float> memory, Queue<space::Device> there) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  array.on(there.host()).write(all, memory);
#else
  array.on(there).write(all, memory);
#endif
}
