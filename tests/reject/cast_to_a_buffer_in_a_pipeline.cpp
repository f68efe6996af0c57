// expect: tessera: CastTo names a memory space, not a buffer: CastTo<space::Device>
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using P = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
#else
using P = Pipeline<space::Host, codec::Bytes, CastTo<DeviceBuffer>>;
#endif
static_assert(P::crossings >= 0);
