// expect: tessera: read_as, write_as, read_boxes_as and loader_as convert integers, float16, float and double
#include <complex>
#include <tessera/array/convert.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  read_as<float>(open_array<double, 3>(store, "a"), all);
#else
  read_as<float>(open_array<std::complex<double>, 3>(store, "a"), all);
#endif
}
