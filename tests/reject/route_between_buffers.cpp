// expect: tessera: a route names the memory space of the elements, then that of the stored bytes
#include <tessera/pipeline/route.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using P = Route<BuiltInCodecs, space::Device, space::Host, Chain<"bytes">>;
#else
using P = Route<BuiltInCodecs, DeviceBuffer, HostBuffer, Chain<"bytes">>;
#endif
static_assert(P::crossings < 2);
