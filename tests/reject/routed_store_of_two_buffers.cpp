// expect: tessera: the two stores of a RoutedStore must have the same buffer type: put a CastStore around one of them
#include <tessera/tessera.cuh>
using namespace tessera;
void program(MemoryStore<HostBuffer> memory, LocalStore<DeviceBuffer> files) {
#ifdef CURED
  RoutedStore const store{CastStore<DeviceBuffer, MemoryStore<HostBuffer>>{memory}, files, KeysBelow{"a"}};
#else
  RoutedStore const store{memory, files, KeysBelow{"a"}};
#endif
}
