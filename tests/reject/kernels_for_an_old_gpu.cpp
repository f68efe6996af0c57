// expect: tessera: kernels are for GPUs of compute capability 7.0 (Volta) and newer
// not with nvcc: which says by itself for what it compiles
#ifndef CURED
#define __CUDA_ARCH__ 600
#endif
#include <tessera/tessera.cuh>
