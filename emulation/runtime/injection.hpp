// The injected failure of the k-th call.
#pragma once
#include <cuda_runtime_api.h>

namespace emulation::injection {

/// Counts a call; returns its injected error, or cudaSuccess.
cudaError_t next(char const* call);

}  // namespace emulation::injection
