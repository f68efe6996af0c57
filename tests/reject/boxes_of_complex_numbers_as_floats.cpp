// expect: tessera: read_as, write_as, read_boxes_as and loader_as convert integers, float16, float and double
#include <complex>
#include <vector>

#include <tessera/array/read_boxes.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<Box> const& crops) {
#ifdef CURED
  read_boxes_as<float>(open_array<double, 3>(store, "a"), crops);
#else
  read_boxes_as<float>(open_array<std::complex<double>, 3>(store, "a"), crops);
#endif
}
