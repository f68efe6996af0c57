// Captures of streams into graphs: whether one is active, and what ends it. Nothing is captured: work for a capturing
// stream is refused.
#pragma once
#include <cuda_runtime_api.h>

namespace emulation::capture {

/// Whether an active capture prohibits the call in the calling thread; that invalidates such captures.
bool prohibits(char const* call);

}  // namespace emulation::capture
