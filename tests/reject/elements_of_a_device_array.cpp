// expect: tessera: these elements are in device memory, which the host cannot access: read them with array.read<PinnedBuffer>(selection), or
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using Held = ManagedBuffer;
#else
using Held = DeviceBuffer;
#endif
float program(OwnedArray<float, 2, Held> array) {
  float sum = 0;
  for (auto element : array.elements()) sum += element;
  return sum;
}
