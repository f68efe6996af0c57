// What tessera asks of the CUDA runtime, against that of CUDA 12.8, the oldest that has it.
#include <tessera/tessera.cuh>

static_assert(CUDART_VERSION == 12080);
