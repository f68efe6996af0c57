// What touches memory that it must not touch: the program, and under ThreadSanitizer kernels in it.
#pragma once
#include <cuda_runtime_api.h>

#include "report.hpp"

namespace emulation::fault {

/// Makes sure that a touch of device memory by the program says so. Others set handlers too: asked for at each
/// allocation.
void watch();

/// Says who touched what: where the address lies in which allocation, who made that, and how the toucher is found.
void say_touch(char const* who, char const* how, void const* place, void const* address);

/// Runs `kernel` in this thread; cudaErrorIllegalAddress if it touches what it must not, and then the address.
cudaError_t run_guarded(void (*kernel)(void* argument), void* argument, void const*& touched);

}  // namespace emulation::fault
