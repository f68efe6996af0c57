// expect: tessera: a MemoryStore allocates its values: give it a buffer that can be made, e.g. MemoryStore<HostBuffer>
#include <tessera/ipc/consumer.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
MemoryStore<HostBuffer> store;
#else
MemoryStore<ipc::IpcBuffer<space::Host>> store;
#endif
