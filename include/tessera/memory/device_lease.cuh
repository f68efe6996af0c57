// Objects that a stream uses on loan: scratch memory, what a library works with.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/memory/event.cuh>
#include <tessera/memory/object_pool.hpp>
#include <tessera/memory/stream.cuh>

namespace tessera { inline namespace v0 {

namespace detail {

// An object and what a stream does with it.
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
    } catch (Error const&) {  // of a context that is no more
      return true;
    }
  }
  ~InUse() {
    try {
      until.wait();
    } catch (Error const&) {  // its buffers go back in the order of their stream, which is waited for there
    }
  }
};

}  // namespace detail

/// An object on loan that the stream may use until it is given back, and then till it gets there. It may outlive the
/// queue.
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
    } catch (Error const&) {  // the end of the stream will do for its place there
      stream_->drain();
    }
  }
  T& operator*() const { return lent_->object; }
  T* operator->() const { return &lent_->object; }

  /// A place in the stream, now, where it is done with the object: it is given back with this place, not with that of
  /// the end of the loan. `wait` waits till the stream gets there. Throw: DeviceError.
  void record() {
    recorded_ = false;  // if there is no such place, an earlier one will not do
    stream_->record(lent_->until);
    recorded_ = true;
  }
  void wait() const { lent_->until.wait(); }
  /// The stream was given nothing to do with the object: it is given back as it came.
  void leave_unused() { recorded_ = true; }
  /// Copies bytes of the object ahead (memory/copy_stream.cuh). Where nothing but such copies uses it, it is given back
  /// with the end of the last of them: not with a place in the stream, which may have more to do. Throws: DeviceError.
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
