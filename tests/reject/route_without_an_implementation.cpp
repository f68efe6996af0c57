// expect: tessera: no route: the list lacks zstd: add codec::Zstd of <tessera/with/zstd.hpp>, or for device memory nvcomp::Zstd of <tessera/with/nvcomp.cuh>
#include <tessera/pipeline/route.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>
using namespace tessera;
#ifdef CURED
using Known = Codecs<codec::Bytes, codec::Zstd>;
#else
using Known = Codecs<codec::Bytes>;
#endif
using P = Route<Known, space::Host, space::Host, Chain<"bytes", "zstd">>;
static_assert(P::crossings == 0);
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 2, P>(store, "a");
  auto part = array.read(all);
}
