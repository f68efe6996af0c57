// expect: tessera: a WrapperStore wraps one store, and a SplitStore is two: wrap each half, SplitStore{WrapperStore{documents}, WrapperStore{chunks}}
#include <tessera/tessera.hpp>
using namespace tessera;
auto program(MemoryStore<HostBuffer> documents, LocalStore<HostBuffer> chunks) {
#ifdef CURED
  return SplitStore{WrapperStore{documents}, WrapperStore{chunks}};
#else
  return WrapperStore{SplitStore{documents, chunks}};
#endif
}
