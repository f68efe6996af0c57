// expect: tessera: metadata is read by the host: give SplitStore a metadata store of host buffers first
#include "stub_device.hpp"
using namespace tessera;
void program(LocalStore<HostBuffer> host, DeviceStore device) {
#ifdef CURED
  SplitStore split{host, device};
#else
  SplitStore split{device, host};
#endif
  (void)split;
}
