// expect: tessera: metadata must be in host memory: 
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<DeviceBuffer> store) {
  auto const any = [](ObjectReader& reader) { return reader.value(); };
#ifdef CURED
  return read_document(host_side(store), "a", any);
#else
  return read_document(store, "a", any);
#endif
}
