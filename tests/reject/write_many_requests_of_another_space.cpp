// expect: tessera: these requests do not fit this store: pass a std::span<WriteRequest<space> const>
#include <vector>

#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, std::vector<WriteRequest<space::Host>> here,
             std::vector<WriteRequest<space::Device>> there, Queue<space::Device> stream) {
#ifdef CURED
  (void)here;
  write_many(store, there, stream);
#else
  (void)there;
  write_many(store, here, stream);
#endif
}
