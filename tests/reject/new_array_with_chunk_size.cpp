// expect: tessera: a new array has no member of this name; its members are, in order, .shape, .shards, .chunks, .fill
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  create_array<float, 2>(store, "a", {.shape = {100, 200}, .chunks = {10, 20}, .fill = -1});
#else
  create_array<float, 2>(store, "a", {.shape = {100, 200}, .chunk_size = {10, 20}});
#endif
}
