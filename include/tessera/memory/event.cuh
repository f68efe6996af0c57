// A place in a stream's work.
#pragma once
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/core/capture_mode.cuh>
#include <tessera/core/cuda_check.cuh>
#include <tessera/core/cuda_context.cuh>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// An event that was not recorded has nothing to wait for. Recorded again, it is the new place.
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

  /// Marks the place after everything that the stream was given so far. Requires: the same context each time. Throws:
  /// DeviceError.
  void record(cudaStream_t stream, detail::Context const& context) {
    detail::InContext const here{context};
    if (!event_) {
      context_ = context;
      // A host that waits sleeps: its processors have files to decode meanwhile.
      detail::check(::cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventBlockingSync),
                    "cudaEventCreateWithFlags");
    }
    detail::check(::cudaEventRecord(event_, stream), "cudaEventRecord");
  }

  /// Throws: DeviceError, that of the work too.
  bool is_done() const {
    if (!event_) return true;
    detail::InContext const here{context_};
    detail::ApartFromCaptures const apart;
    auto const status = ::cudaEventQuery(event_);
    if (status == cudaErrorNotReady) return false;  // which is no error to the runtime, and not the last one
    detail::check(status, "cudaEventQuery");
    return true;
  }
  /// Waits in the host. Throws: DeviceError, that of the work too.
  void wait() const {
    if (!event_) return;
    detail::InContext const here{context_};
    detail::ApartFromCaptures const apart;
    detail::check(::cudaEventSynchronize(event_), "cudaEventSynchronize");
  }
  /// Lets a stream, of any device, wait; the host does not. Throws: DeviceError.
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

/// Waits for everything that the stream was given, where nothing else is left to do: an error would end the program,
/// and is not asked for. The host sleeps; where there is no event to wait for, it spins.
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
