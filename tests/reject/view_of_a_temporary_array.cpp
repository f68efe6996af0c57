// expect: tessera: this array is a temporary, and its elements are freed at the end of the statement: keep it in a variable, 'auto const part = array.read(all)', and ask that
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  auto const whole = array.read(all);
  ArrayView<float const, 3> const view = whole.view();
  (void)view;
#else
  ArrayView<float const, 3> const view = array.read(all).view();
  (void)view;
#endif
}
