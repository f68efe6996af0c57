// expect: tessera: files are read into memory that the host can write; for device memory include
#include "stub_device.hpp"
using namespace tessera;
#ifdef CURED
LocalStore<HostBuffer> store{"folder"};
#else
LocalStore<DeviceBuffer> store{"folder"};
#endif
