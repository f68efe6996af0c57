// expect: tessera: this store's 'lock(Key const&)' must return a KeyLock
#include <tessera/tessera.hpp>
using namespace tessera;
struct Own : MemoryStore<HostBuffer> {
#ifdef CURED
  KeyLock lock(Key const& key) const;
#else
  int lock(Key const& key) const;
#endif
};
void program(Own store) { (void)open_array<float, 3>(store, "a").read(all); }
