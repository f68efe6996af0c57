// expect: tessera: codecs out of order; a pipeline is any array-to-array codecs, then one array-to-bytes codec
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>
using namespace tessera;
#ifdef CURED
using P = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>;
#else
using P = Pipeline<space::Host, codec::Zstd, codec::Transpose, codec::Bytes>;
#endif
static_assert(P::crossings == 0);
