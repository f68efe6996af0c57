// expect: tessera: this store cannot be written: it lacks 'void write(Key const&, ByteView<space>
#include <tessera/tessera.hpp>

using namespace tessera;

void make(LocalStore<HostBuffer> store) {
#ifdef CURED
  create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {2}}).fill(all, 1.0f);
#else
  create_array<float, 1>(ReadOnlyStore{store}, "a", {.shape = {4}, .chunks = {2}}).fill(all, 1.0f);
#endif
}
