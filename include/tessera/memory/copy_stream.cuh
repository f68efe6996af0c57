// A second stream beside a queue's own: copies there need not wait for what the queue's was given before.
#pragma once
#include <cstddef>
#include <mutex>

#include <cuda_runtime_api.h>

#include <tessera/core/capture_mode.cuh>
#include <tessera/core/cuda_check.cuh>
#include <tessera/core/cuda_context.cuh>
#include <tessera/memory/event.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Copies the host's bytes to memory with which the queue's stream is known to be done, so that they cross while
/// kernels run. It joins each copy to the queue's stream at once: later work there comes after the copy, and an event
/// there says that it is done. The first copy makes the stream. For any thread.
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

  /// Device memory was taken in the order of the queue's stream, which may still use what it was before: copies from
  /// now on come after that.
  void memory_was_taken() noexcept {
    std::lock_guard lock{mutex_};
    is_behind_ = true;
  }

  /// `done`, if there is one, is the place behind the copy. Throws: DeviceError; then nothing is copied any more.
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
    } catch (Error const&) {  // nobody else would wait for it
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
