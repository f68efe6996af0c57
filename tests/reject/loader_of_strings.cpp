// expect: tessera: a Loader reads elements of one size: read strings and bytes of any length with read_boxes
#include <string>
#include <vector>

#include <tessera/array/read_boxes.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<Box> const& crops) {
  auto const array = open_array<std::string, 1>(store, "a");
#ifdef CURED
  (void)read_boxes(array, crops);
#else
  Loader loader{array, UniformBoxes{{10}, {2}}};
#endif
}
