// expect: tessera: create_array needs the number of dimensions: create_array<float, 3>(store, path, ...)
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  create_array<float, 2>(store, "a", {.shape = {4, 4}, .chunks = {2, 2}}).fill(all, 1.0f);
#else
  create_array<float>(store, "a", {.shape = {4, 4}, .chunks = {2, 2}}).fill(all, 1.0f);
#endif
}
