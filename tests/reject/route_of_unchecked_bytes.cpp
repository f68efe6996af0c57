// expect: tessera: no route: the list has a codec for device memory whose behaviour is undefined where its bytes are damaged, and nothing right behind it in the chain checks them: add the host's too, codec::Zstd, or take the bytes on trust: nvcomp::Trusted<nvcomp::Zstd>
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
using P = Route<Known, space::Host, space::Device, Chain<"bytes", "zstd">>;
static_assert(P::crossings < 2);
