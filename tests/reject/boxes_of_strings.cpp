// expect: tessera: read_boxes reads elements of one size: read strings and bytes of any length box by box
#include <string>
#include <vector>

#include <tessera/array/read_boxes.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<Box> const& crops) {
  auto const array = open_array<std::string, 1>(store, "a");
#ifdef CURED
  for (auto const& crop : crops) (void)array.read(crop);
#else
  (void)read_boxes(array, crops);
#endif
}
