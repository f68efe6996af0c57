// expect: tessera: metadata must be in host memory: pass a store of host buffers, or SplitStore{
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Pinned>>;
auto program(LocalStore<HostBuffer> host, LocalStore<PinnedBuffer> pinned) {
#ifdef CURED
  return open_array<float, 3, Stored>(SplitStore{host, pinned}, "a");
#else
  (void)host;
  return open_array<float, 3, Stored>(pinned, "a");
#endif
}
