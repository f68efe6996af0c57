// expect: tessera: create needs the number of dimensions: create<float, 3>(store, path, ...)
#include <tessera/all.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  create<float, 2>(store, "a", {.shape = {4, 4}, .chunks = {2, 2}}).fill(all, 1.0f);
#else
  create<float>(store, "a", {.shape = {4, 4}, .chunks = {2, 2}}).fill(all, 1.0f);
#endif
}
