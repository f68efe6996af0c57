// expect: tessera: converting numbers in this memory space needs <tessera/array/convert.cuh>
#include <tessera/loader/loader.cuh>
#include <tessera/loader/loader.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using P = Pipeline<space::Host, codec::Bytes>;
#else
using P = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
#endif
void program(LocalStore<HostBuffer> store) {
  loader_as<float>(open_array<int, 3, P>(store, "a"), UniformBoxes{{8, 8, 8}, {2, 2, 2}});
}
