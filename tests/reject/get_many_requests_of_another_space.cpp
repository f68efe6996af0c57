// expect: tessera: these requests do not fit this store: pass a std::span<ReadRequest<space>>
#include <vector>

#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<DeviceBuffer> store, std::vector<ReadRequest<space::Host>> here,
             std::vector<ReadRequest<space::Device>> there, Queue<space::Device> stream) {
#ifdef CURED
  (void)here;
  get_many(store, there, stream);
#else
  (void)there;
  get_many(store, here, stream);
#endif
}
