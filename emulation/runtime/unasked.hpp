// Errors of a device's work that no call has returned: the program ends without knowing them.
#pragma once
#include <cuda_runtime_api.h>

namespace emulation::unasked {

/// A call has returned this to the program.
void returned(cudaError_t result);

/// Reports the devices with unseen errors; false if there are none.
bool say_errors();

}  // namespace emulation::unasked
