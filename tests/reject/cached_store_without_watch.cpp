// expect: tessera: a CachedStore needs a store that reports changes of its values, by 'watch', and whose buffers can be allocated: LocalStore, MemoryStore, DirectStore, or a store around one of them
#include <tessera/store/cached_store.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
struct Mine {
  using buffer_type = HostBuffer;
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, Queue<space::Host>&) const;
};
void program(Mine mine, LocalStore<HostBuffer> files) {
#ifdef CURED
  CachedStore const store{files, 1 << 20};
  (void)mine;
#else
  CachedStore const store{mine, 1 << 20};
  (void)files;
#endif
  (void)store.name();
}
