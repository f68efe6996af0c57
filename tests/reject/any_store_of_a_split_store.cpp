// expect: tessera: an AnyStore has one half; make it the half of a split: SplitStore{AnyStore<HostBuffer>
#include <tessera/tessera.hpp>
using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
#ifdef CURED
SplitStore store{AnyStore<HostBuffer>{Memory{}}, AnyStore<HostBuffer>{Memory{}}};
#else
AnyStore<HostBuffer> store{SplitStore{Memory{}, Memory{}}};
#endif
