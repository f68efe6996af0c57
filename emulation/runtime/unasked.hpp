// Errors of a device's work that no call has returned: a program that ends with one knows nothing of it.
#pragma once
#include <cuda_runtime_api.h>

namespace emulation::unasked {

/// A call has returned this to the program.
void returned(cudaError_t result);

/// Says of which devices nobody knows the error; false if there are none.
bool say_errors();

}  // namespace emulation::unasked
