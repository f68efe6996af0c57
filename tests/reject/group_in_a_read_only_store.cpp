// expect: tessera: this store cannot be written: it lacks 'void write(Key const&, ByteView<space>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  create_group(store, "a");
#else
  create_group(ReadOnlyStore{store}, "a");
#endif
}
