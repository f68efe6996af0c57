// expect: tessera: metadata must be in host memory: pass SplitStore a store of host buffers first
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device) {
#ifdef CURED
  return SplitStore{host, device};
#else
  return SplitStore{device, host};
#endif
}
