// Event<space::Device>: a place in a stream's work.
#pragma once
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// An event that was never recorded is done. Recording again replaces the place.
template <>
class Event<space::Device> {
 public:
  Event() = default;
  Event(Event&& other) noexcept : event_{std::exchange(other.event_, nullptr)}, context_{other.context_} {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    std::swap(context_, other.context_);
    return *this;
  }
  ~Event() {
    if (event_) detail::InContext::call(context_, [&] { detail::succeeds(::cudaEventDestroy(event_)); });
  }

  /// Marks the place after all work queued so far. Requires: the same context each time. Throws: DeviceError.
  void record(cudaStream_t stream, detail::Context const& context) {
    detail::InContext const here{context};
    if (!event_) {
      context_ = context;
      // Waiting threads sleep, because other threads need the processors to decode.
      detail::check(::cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventBlockingSync),
                    "cudaEventCreateWithFlags");
    }
    detail::check(::cudaEventRecord(event_, stream), "cudaEventRecord");
  }

  /// Throws: DeviceError, also for errors of the work.
  bool is_done() const {
    if (!event_) return true;
    detail::InContext const here{context_};
    detail::ApartFromCaptures const apart;
    auto const status = ::cudaEventQuery(event_);
    if (status == cudaErrorNotReady) return false;  // not an error, and not recorded as the last one
    detail::check(status, "cudaEventQuery");
    return true;
  }
  /// Blocks the calling thread. Throws: DeviceError, also for errors of the work.
  void wait() const {
    if (!event_) return;
    detail::InContext const here{context_};
    detail::ApartFromCaptures const apart;
    detail::check(::cudaEventSynchronize(event_), "cudaEventSynchronize");
  }
  /// Makes a stream, of any device, wait; the host does not wait. Throws: DeviceError.
  void hold_back(cudaStream_t stream) const {
    if (!event_) return;
    detail::InContext const here{context_};
    detail::check(::cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
  detail::Context context_{};
};

namespace detail {

/// Waits for all work of the stream when no error can be reported any more: errors are ignored. The thread sleeps; if
/// no event can be recorded, it spins.
inline void drain(cudaStream_t stream, Context const& context) noexcept {
  try {
    Event<space::Device> end;
    end.record(stream, context);
    return end.wait();
  } catch (Error const&) {
  }
  InContext::call(context, [&] {
    ApartFromCaptures const apart;
    succeeds(::cudaStreamSynchronize(stream));
  });
}

}  // namespace detail
}}  // namespace tessera::v0
