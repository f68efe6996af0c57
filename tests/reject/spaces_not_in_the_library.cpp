// expect: tessera: the compiled library has no arrays between these memory spaces: include <tessera/any_spaces.hpp>
// not with nvcc: the cured programs are one unit there, and others of them are header-only
#define TESSERA_SEPARATE
#define TESSERA_SEPARATE_CUDA
#include <tessera/tessera.cuh>
#if defined(CURED)
#include <tessera/any_spaces.hpp>
#endif
using namespace tessera;
using Pinned = Pipeline<space::Host, codec::Bytes, CastTo<space::Pinned>>;
void open(LocalStore<HostBuffer> const& documents, MemoryStore<PinnedBuffer> const& chunks, Queue<space::Device> on) {
  (void)open_array<float, 1, Pinned>(SplitStore{documents, chunks}, "a", on);
}
