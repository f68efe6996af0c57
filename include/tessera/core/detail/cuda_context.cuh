// Context: the CUDA context of a stream, made current during calls of the runtime.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/cuda_check.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// The runtime uses the thread's current context. Without one it creates one, on the first device unless the thread
/// selected another: half a GiB of a GPU that the program may not use. `cudaSetDevice` also creates one, so it cannot
/// restore an unused device. The driver's functions create none and leave the thread unchanged. They are looked up
/// through the runtime, so that programs need not link the driver; `int` stands for their result type.
class Context {
 public:
  Context() = default;
  /// The context of a stream, which need not be on the current device. Throws: DeviceError.
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

  /// Driver errors have the runtime's numbers but do not set the runtime's last error.
  static void check_driver(int status, char const* call) {
    if (status != cudaSuccess) throw DeviceError{described(static_cast<cudaError_t>(status), call)};
  }

 private:
  static constexpr unsigned version = 12000;  // of the driver's interface: fixes the signatures of its functions

  template <class F>
  static void find(char const* name, F& function) {
    void* found = nullptr;
    auto result = cudaDriverEntryPointSymbolNotFound;
    check(::cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result),
          "cudaGetDriverEntryPointByVersion");
    if (!found) throw DeviceError{to_text({"the CUDA driver has no ", name})};
    function = reinterpret_cast<F>(found);
  }

  void* handle_ = nullptr;
  int (*get_)(void** context) = nullptr;
  int (*push_)(void* context) = nullptr;
  int (*pop_)(void** context) = nullptr;
};

/// Makes a context current in the calling thread, and restores the previous one at the end. An empty context changes
/// nothing.
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

  /// For destructors. Does nothing if the context was destroyed, and its resources with it.
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
