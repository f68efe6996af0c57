// expect: tessera: read_boxes reads into memory of one dimension more than the array's, the first for the boxes
#include <vector>

#include <tessera/array/read_boxes.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<Box> const& crops, float* memory) {
#ifdef CURED
  ArrayView<float, 3> const view{memory, {2, 8, 8}, {64, 8, 1}};
#else
  ArrayView<float, 2> const view{memory, {8, 8}, {8, 1}};
#endif
  read_boxes_as(open_array<std::uint8_t, 2>(store, "a"), crops, view);
}
