// expect: tessera: no route: the list has a codec for device memory with undefined behaviour on damaged bytes, and no codec directly after it in the chain checks them: add the host codec too, codec::Zstd, or trust the bytes: nvcomp::Trusted<nvcomp::Zstd>
// not with nvcc: nvCOMP may not be there
#include <tessera/pipeline/route.hpp>
#include <tessera/tessera.cuh>
#include <tessera/with/nvcomp.cuh>
using namespace tessera;
#ifdef CURED
using Known = Codecs<codec::Bytes, nvcomp::Trusted<nvcomp::Zstd>>;
#else
using Known = Codecs<codec::Bytes, nvcomp::Zstd>;
#endif
using P = Route<Known, space::Device, space::Host, Chain<"bytes", "zstd">>;
static_assert(P::crossings < 2);
