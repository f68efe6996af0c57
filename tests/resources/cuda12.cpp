// tessera's use of the CUDA runtime, against CUDA 12.8, the oldest supported version.
#include <tessera/tessera.cuh>

static_assert(CUDART_VERSION == 12080);
