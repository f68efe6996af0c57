// Captures of streams into graphs: that they go on, and what ends them. What is captured is nothing: work that a
// capturing stream is given is refused.
#pragma once
#include <cuda_runtime_api.h>

namespace emulation::capture {

/// Whether the call is one that a capture under way prohibits the calling thread; such captures are no more then.
bool prohibits(char const* call);

}  // namespace emulation::capture
