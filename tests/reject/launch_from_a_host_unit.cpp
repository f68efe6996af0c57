// expect: tessera: kernels are compiled by nvcc: launch from a .cu file; a unit that only reads and writes arrays may include <tessera/compiled.cuh>
// not with nvcc: which is the cure
#include <cuda_runtime_api.h>
#ifndef CURED
#undef TESSERA_CUDA_EMULATION  // without it and without nvcc there is nothing to run kernels
#endif
#include <tessera/tessera.cuh>
using namespace tessera;
struct Nothing {
  TESSERA_HOST_DEVICE void operator()(std::uint64_t) const {}
};
void program(Queue<space::Device> stream) { launch(stream, 16, Nothing{}); }
