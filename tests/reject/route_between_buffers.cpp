// expect: tessera: a route leads from the memory space of the stored bytes to that of the elements
#include <tessera/pipeline/route.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using P = Route<BuiltInCodecs, space::Host, space::Device, Chain<"bytes">>;
#else
using P = Route<BuiltInCodecs, HostBuffer, DeviceBuffer, Chain<"bytes">>;
#endif
static_assert(P::crossings < 2);
