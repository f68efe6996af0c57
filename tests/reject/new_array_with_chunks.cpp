// expect: tessera: a new array has a .chunk_shape, and no .chunks; name what you give: {.shape = {100, 200}, .chunk_shape = {10, 20}, .fill = 1}
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  create_array<float, 2>(store, "a", {.shape = {100, 200}, .chunk_shape = {10, 20}, .fill = -1});
#else
  create_array<float, 2>(store, "a", {.shape = {100, 200}, .chunks = {10, 20}, .fill = -1});
#endif
}
