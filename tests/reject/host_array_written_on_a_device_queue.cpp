// expect: tessera: this is a queue of a device, and the work asked for is the host's: give queue.host()
#include <vector>

#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<float> memory, Queue<space::Device> there) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  array.write(all, memory, there.host());
#else
  array.write(all, memory, there);
#endif
}
