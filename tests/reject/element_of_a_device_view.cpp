// expect: tessera: these elements are in device memory, which the host cannot access: read them with array.read<PinnedBuffer>(selection), or
#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
float program(ArrayView<float, 2, space::Pinned> view) { return view(1, 2); }
#else
float program(ArrayView<float, 2, space::Device> view) { return view(1, 2); }
#endif
