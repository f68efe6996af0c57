// expect: tessera: a MemoryStore allocates its values: give it a buffer that can be made, e.g. MemoryStore<HostBuffer>
#include <tessera/tessera.hpp>
using namespace tessera;
struct Mapped {
  using space_type = space::Host;
  ByteView<space::Host> view() const;
};
#ifdef CURED
MemoryStore<HostBuffer> store;
#else
MemoryStore<Mapped> store;
#endif
