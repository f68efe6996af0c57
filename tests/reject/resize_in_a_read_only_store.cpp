// expect: tessera: this store cannot be written: it lacks 'void write(Key const&, ByteView<space>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  open_array<float, 1>(store, "a").resize({7});
#else
  open_array<float, 1>(ReadOnlyStore{store}, "a").resize({7});
#endif
}
