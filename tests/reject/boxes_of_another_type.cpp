// expect: tessera: the element type of this memory differs from the array's; pass memory of type T as in open_array<T, ...>
#include <vector>

#include <tessera/array/read_boxes.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store, std::vector<Box> const& crops) {
  std::vector<float> memory(64);
#ifdef CURED
  read_boxes_as(open_array<std::uint8_t, 2>(store, "a"), crops, memory);
#else
  read_boxes(open_array<std::uint8_t, 2>(store, "a"), crops, memory);
#endif
}
