// expect: tessera: only nvcc compiles kernels: launch from a .cu file; a source file that only reads and writes arrays can link tessera::compiled_cuda instead
// not with nvcc: which is the cure
#include <cuda_runtime_api.h>
#ifndef CURED
#undef TESSERA_CUDA_EMULATION  // without it and without nvcc kernels cannot run
#endif
#include <tessera/tessera.cuh>
using namespace tessera;
struct Nothing {
  TESSERA_HOST_DEVICE void operator()(std::uint64_t) const {}
};
void program(Queue<space::Device> stream) { launch(stream, 16, Nothing{}); }
