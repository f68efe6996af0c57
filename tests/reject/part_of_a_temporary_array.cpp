// expect: tessera: this array is a temporary, and its elements are freed at the end of the statement: keep it in a variable, 'auto const part = array.read(all)', and ask that
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 3>(store, "a");
#ifdef CURED
  auto const whole = array.read(all);
  (void)whole.sub({all, all, 3});
#else
  (void)array.read(all).sub({all, all, 3});
#endif
}
