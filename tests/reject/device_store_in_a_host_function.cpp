// expect: tessera: this function takes stores of other buffers: give host_side(store, queue) where it takes HostBuffer
#include <tessera/tessera.cuh>
using namespace tessera;
std::size_t count(Store<HostBuffer> auto const&) { return 0; }
template <class S>
std::size_t count(S const&) {  // whatever else is given
  return check_store_of<HostBuffer, S>();
}
std::size_t program(LocalStore<DeviceBuffer> store) {
#ifdef CURED
  return count(host_side(store));
#else
  return count(store);
#endif
}
