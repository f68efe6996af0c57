// ApartFromCaptures: calls that do not disturb a graph capture in another thread.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/cuda_check.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// While a thread captures its stream into a graph, as a training loop does, event queries, waits and allocations of
/// other threads fail, in any stream, and end the capture. While this object lives, its thread uses relaxed capture
/// mode, which avoids both.
class ApartFromCaptures {
 public:
  ApartFromCaptures() { succeeds(::cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ApartFromCaptures(ApartFromCaptures const&) = delete;
  ApartFromCaptures& operator=(ApartFromCaptures const&) = delete;
  ~ApartFromCaptures() { succeeds(::cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}}}  // namespace tessera::v0::detail
