// expect: tessera: an AnyStore cannot hold a SplitStore; hold each half in one: SplitStore{AnyStore<HostBuffer>
#include <tessera/tessera.hpp>
using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
#ifdef CURED
SplitStore store{AnyStore<HostBuffer>{Memory{}}, AnyStore<HostBuffer>{Memory{}}};
#else
AnyStore<HostBuffer> store{SplitStore{Memory{}, Memory{}}};
#endif
