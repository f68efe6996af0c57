// DeviceLease: an object on loan to a stream, such as scratch memory or a library context.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/memory/detail/event.cuh>
#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/memory/detail/stream.cuh>

namespace tessera { inline namespace v0 {

namespace detail {

// An object, and the end of the stream's use of it.
template <class T>
struct InUse {
  T object{};
  Event<space::Device> until{};
  std::uint64_t held() const {
    if constexpr (requires { object.held(); })
      return object.held();
    else
      return 0;
  }
  bool is_done() const {
    try {
      return until.is_done();
    } catch (Error const&) {  // the context was destroyed
      return true;
    }
  }
  ~InUse() {
    try {
      until.wait();
    } catch (Error const&) {  // its buffers are freed in stream order, which waits for the work
    }
  }
};

}  // namespace detail

/// An object on loan. The stream may use it in all work queued before it is given back. It may outlive the queue.
template <class T>
class DeviceLease {
 public:
  DeviceLease(std::shared_ptr<detail::Stream> stream, Lease<detail::InUse<T>> lent)
      : stream_{std::move(stream)}, lent_{std::move(lent)} {}
  DeviceLease(DeviceLease&&) = default;
  DeviceLease& operator=(DeviceLease&&) = delete;
  ~DeviceLease() {
    if (!stream_ || recorded_) return;
    try {
      stream_->record(lent_->until);
    } catch (Error const&) {  // without an event, wait for the end of the stream
      stream_->drain();
    }
  }
  T& operator*() const { return lent_->object; }
  T* operator->() const { return &lent_->object; }

  /// Marks the current place in the stream as the end of its use of the object, instead of the end of the loan. `wait`
  /// waits for that place. Both throw: DeviceError.
  void record() {
    recorded_ = false;  // if recording fails, an earlier place is not enough
    stream_->record(lent_->until);
    recorded_ = true;
  }
  void wait() const { lent_->until.wait(); }
  /// The stream was given no work with the object: it can be lent again at once.
  void leave_unused() { recorded_ = true; }
  /// Copies bytes of the object ahead (memory/detail/stream.cuh). If only such copies use it, it can be lent again
  /// after the last of them, and need not wait for other work of the stream. Throws: DeviceError.
  void copy_ahead(std::byte const* from, std::byte* to, std::size_t size) {
    stream_->copy_ahead(from, to, size, &lent_->until);
    recorded_ = true;
  }

 private:
  std::shared_ptr<detail::Stream> stream_;
  Lease<detail::InUse<T>> lent_;
  bool recorded_ = false;
};

}}  // namespace tessera::v0
