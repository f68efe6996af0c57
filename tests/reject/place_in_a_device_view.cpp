// expect: tessera: these elements are in device memory, which the host cannot access: read them with array.read<PinnedBuffer>(selection), or
#include <tessera/tessera.hpp>
using namespace tessera;
struct Kernel {
  ArrayView<float, 2, space::Device> view;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { view.in_kernel(i, 2) = 1; }
};
#ifdef CURED
float program(ArrayView<float const, 2> view, Kernel) { return view[{1, 2}]; }
#else
float program(ArrayView<float const, 2, space::Device> view, Kernel) { return view[{1, 2}]; }
#endif
