// The k-th call that is to fail.
#pragma once
#include <cuda_runtime_api.h>

namespace emulation::injection {

/// Counts a call; the error that it shall end with, cudaSuccess for none.
cudaError_t next(char const* call);

}  // namespace emulation::injection
