// expect: tessera: these elements are in device memory, which the host cannot touch: open the array with a pipeline
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using Held = PinnedBuffer;
#else
using Held = DeviceBuffer;
#endif
float program(OwnedArray<float, 2, Held> array) { return array(3, 4); }
