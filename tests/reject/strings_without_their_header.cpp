// expect: tessera: this type cannot be an array element: use bool, an integer of 8 to 64 bits, float, double or std::complex of them, float16_bits, std::array<std::byte, N>, std::string of <tessera/array/strings.hpp>, or specialise element_traits for it
#include <tessera/tessera.hpp>
#ifdef CURED
#include <tessera/array/strings.hpp>
#endif
using namespace tessera;
auto program(LocalStore<HostBuffer> store) { return open_array<std::string, 1>(store, "a"); }
