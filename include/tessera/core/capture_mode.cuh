// What other threads capture into graphs.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>
#include <tessera/core/cuda_check.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// A thread that captures its stream into a graph, as a trainer's does, gets in the way of all other threads: asking
/// for an event, waiting and allocating, in any stream, fails there and ends the capture. While this object lives, what
/// the calling thread does is marked as separate from captures.
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
