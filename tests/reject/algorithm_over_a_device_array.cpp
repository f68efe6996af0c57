// expect: tessera: these elements are in device memory, which the host cannot access: read them with array.read<PinnedBuffer>(selection), or
#include <algorithm>

#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using Held = PinnedBuffer;
#else
using Held = DeviceBuffer;
#endif
float program(OwnedArray<float, 2, Held> const& array) {
  return std::ranges::max(array);
}
