// What other threads capture into graphs.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>
#include <tessera/core/cuda_check.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// A thread that captures its stream into a graph, as a trainer's does, is in the way of all other threads: to ask
/// for an event, to wait and to allocate, in whichever stream, fails there and ends the capture. This says for as long
/// as it lasts that what the calling thread does has nothing to do with it.
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
