// CopyStream: a second stream, whose copies do not wait for earlier work of the queue's stream.
#pragma once
#include <cstddef>
#include <mutex>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/event.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Copies host bytes to memory that the queue's stream no longer uses, while kernels run. Later work and events of the
/// queue's stream come after each copy. The first copy creates the stream. Thread-safe.
class CopyStream {
 public:
  CopyStream() = default;
  CopyStream(CopyStream const&) = delete;
  CopyStream& operator=(CopyStream const&) = delete;
  ~CopyStream() {
    if (!handle_) return;
    InContext::call(context_, [&] {
      ApartFromCaptures const apart;
      succeeds(::cudaStreamDestroy(handle_));
    });
  }

  /// Device memory was taken that earlier work of the queue's stream may still use: later copies wait for that work.
  void memory_was_taken() noexcept {
    std::lock_guard lock{mutex_};
    is_behind_ = true;
  }

  /// `done`, if not null, is recorded after the copy. Throws: DeviceError; then no copy is in progress.
  void copy(std::byte const* from, std::byte* to, std::size_t size, cudaStream_t stream, Context const& context,
            Event<space::Device>* done = nullptr) {
    InContext const here{context};
    catch_up(stream, context);
    check(::cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, handle_), "cudaMemcpyAsync");
    try {
      std::lock_guard lock{mutex_};
      auto& copied = done ? *done : copied_;
      copied.record(handle_, context);
      copied.hold_back(stream);
    } catch (Error const&) {  // nothing else waits for the copy
      drain(handle_, context);
      throw;
    }
  }

 private:
  void catch_up(cudaStream_t stream, Context const& context) {
    std::lock_guard lock{mutex_};
    if (!handle_) {
      ApartFromCaptures const apart;
      check(::cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags, for copies");
      context_ = context;
    }
    if (!is_behind_) return;
    taken_.record(stream, context);
    taken_.hold_back(handle_);
    is_behind_ = false;
  }

  std::mutex mutex_;
  cudaStream_t handle_ = nullptr;
  Context context_{};
  bool is_behind_ = true;
  Event<space::Device> taken_{}, copied_{};
};

}}}  // namespace tessera::v0::detail
