// expect: tessera: converting numbers in this memory space needs <tessera/array/convert.cuh>
#include <tessera/array/convert.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using P = Pipeline<space::Host, codec::Bytes>;
#else
using P = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
#endif
void program(LocalStore<HostBuffer> store) { read_as<float>(open_array<int, 3, P>(store, "a"), all); }
