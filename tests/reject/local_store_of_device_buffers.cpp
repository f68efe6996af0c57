// expect: tessera: files are read into memory that the host can write; for device memory include
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/store/local_store.hpp>
#ifdef CURED
#include <tessera/store/detail/local_store.cuh>
#endif
using namespace tessera;
LocalStore<DeviceBuffer> store{"folder"};
