// expect: tessera: this type cannot be an array element: use bool, an integer of 8 to 64 bits, float, double or std::complex
#include <string>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  auto array = open_array<float, 3>(store, "a");
#else
  auto array = open_array<std::string, 3>(store, "a");
#endif
  (void)array;
}
