// The context that a stream's work is done in, current for as long as the runtime is called.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>
#include <tessera/core/cuda_check.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// The runtime works in the thread's current context. A thread that has none gets one, on the first device unless the
/// thread was told of another: half a GiB of a GPU that the program may have no use for. `cudaSetDevice` makes one as
/// well, so it cannot put back a device that was not used. The driver's functions make none and leave the thread as it
/// was. They come by way of the runtime, so that nobody links the driver; `int` is what their result type is passed as.
class Context {
 public:
  Context() = default;
  /// That of a stream, which need not be of the current device. Throws: DeviceError.
  explicit Context(cudaStream_t stream) {
    find("cuCtxGetCurrent", get_);
    find("cuCtxPushCurrent", push_);
    find("cuCtxPopCurrent", pop_);
    int (*of_stream)(cudaStream_t, void**) = nullptr;
    find("cuStreamGetCtx", of_stream);
    check_driver(of_stream(stream, &handle_), "cuStreamGetCtx");
  }

  bool is_none() const { return handle_ == nullptr; }
  bool is_current() const {
    void* now = nullptr;
    return get_(&now) == cudaSuccess && now == handle_;
  }
  int push() const { return push_(handle_); }
  void pop() const {
    void* popped = nullptr;
    pop_(&popped);
  }

  /// The driver's errors have the runtime's numbers, and are not the runtime's last error.
  static void check_driver(int status, char const* call) {
    if (status != cudaSuccess) throw DeviceError{described(static_cast<cudaError_t>(status), call)};
  }

 private:
  static constexpr unsigned version = 12000;  // of the driver's interface: what its functions take and return

  template <class F>
  static void find(char const* name, F& function) {
    void* found = nullptr;
    auto result = cudaDriverEntryPointSymbolNotFound;
    check(::cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result),
          "cudaGetDriverEntryPointByVersion");
    if (!found) throw DeviceError{text({"the CUDA driver has no ", name})};
    function = reinterpret_cast<F>(found);
  }

  void* handle_ = nullptr;
  int (*get_)(void** context) = nullptr;
  int (*push_)(void* context) = nullptr;
  int (*pop_)(void** context) = nullptr;
};

/// Makes a context the calling thread's, and restores the previous one at its end. An empty one changes nothing.
class InContext {
 public:
  /// Throws: DeviceError.
  explicit InContext(Context const& context) : InContext{context, context.is_none() || context.is_current()} {
    Context::check_driver(status_, "cuCtxPushCurrent");
  }
  InContext(InContext const&) = delete;
  InContext& operator=(InContext const&) = delete;
  ~InContext() {
    if (pushed_) pushed_->pop();
  }

  /// For destructors. If the context is gone, nothing is done: what it held has gone with it.
  template <class F>
  static void call(Context const& context, F&& f) noexcept {
    InContext const here{context, context.is_none() || context.is_current()};
    if (here.status_ == cudaSuccess) f();
  }

 private:
  InContext(Context const& context, bool is_there)
      : status_{is_there ? 0 : context.push()}, pushed_{is_there || status_ != cudaSuccess ? nullptr : &context} {}

  int status_;
  Context const* pushed_;
};

}}}  // namespace tessera::v0::detail
