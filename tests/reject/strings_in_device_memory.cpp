// expect: tessera: strings and bytes are in host memory only: open the array with a pipeline that begins in space::Host
#include <tessera/array/strings.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
using Stored = Pipeline<space::Host, codec::VlenUtf8>;
#else
using Stored = Pipeline<space::Device, CastTo<space::Host>, codec::VlenUtf8>;
#endif
auto program(LocalStore<HostBuffer> store) { return open_array<std::string, 1, Stored>(store, "a"); }
