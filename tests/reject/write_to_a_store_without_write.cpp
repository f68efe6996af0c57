// expect: tessera: this store cannot be written: it lacks 'void write(Key const&, ByteView<space>
#include <vector>

#include <tessera/tessera.hpp>

using namespace tessera;

void zero(LocalStore<HostBuffer> store) {
#ifdef CURED
  auto array = open_array<float, 1>(store, "a");
#else
  auto array = open_array<float, 1>(ReadOnlyStore{store}, "a");
#endif
  array.write(all, std::vector<float>(4));
}
