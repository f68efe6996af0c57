// Faults: invalid accesses by the program, and under ThreadSanitizer by kernels in it.
#pragma once
#include <cuda_runtime_api.h>

#include "report.hpp"

namespace emulation::fault {

/// Makes sure that an access to device memory by the program is reported. Other handlers may replace this one: called
/// at each allocation.
void watch();

/// Reports an access: the address's position in which allocation, its creator, and how to find the accessor.
void say_touch(char const* who, char const* how, void const* place, void const* address);

/// Runs `kernel` in this thread; cudaErrorIllegalAddress, and the address, after an invalid access.
cudaError_t run_guarded(void (*kernel)(void* argument), void* argument, void const*& touched);

}  // namespace emulation::fault
