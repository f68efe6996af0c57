// expect: tessera: sum, mean and minmax need a range of numbers that the host can access
#include <tessera/view/array_view.hpp>
#include <tessera/view/sum.hpp>
#ifdef CURED
using Space = tessera::space::Pinned;
#else
using Space = tessera::space::Device;
#endif
double program(tessera::ArrayView<float, 2, Space> const& view) {
  return tessera::mean(view);
}
