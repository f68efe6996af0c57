// expect: tessera: a MemoryStore allocates its values: use a buffer type that can be allocated, e.g. MemoryStore<HostBuffer>
#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
MemoryStore<HostBuffer> store;
#else
MemoryStore<MappedBuffer> store;
#endif
