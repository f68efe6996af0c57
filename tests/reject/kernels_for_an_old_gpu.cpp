// expect: tessera: kernels need compute capability 7.0 (Volta) or newer
// not with nvcc: which says by itself for what it compiles
#ifndef CURED
#define __CUDA_ARCH__ 600
#endif
#include <tessera/tessera.cuh>
