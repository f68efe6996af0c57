// expect: tessera: this function needs a store of another buffer type: pass host_side(store, queue) if that is HostBuffer
#include <tessera/tessera.cuh>
using namespace tessera;
std::size_t count(Store<HostBuffer> auto const&) { return 0; }
template <class S>
std::size_t count(S const&) {  // for any other arguments
  return check_store_of<HostBuffer, S>();
}
std::size_t program(LocalStore<DeviceBuffer> store) {
#ifdef CURED
  return count(host_side(store));
#else
  return count(store);
#endif
}
