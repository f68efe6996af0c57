// The order between a queue and the streams that DLPack consumers name, which may be default streams.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/memory/detail/after_device.cuh>
#include <tessera/memory/detail/event.cuh>
#include <tessera/memory/detail/stream.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/with/dlpack.hpp>

namespace tessera { inline namespace v0 { namespace dlpack { namespace detail {

// nullopt: no order is needed. Requires: the stream is the consumer's, as given to `__dlpack__`.
inline std::optional<cudaStream_t> handle_of(std::intptr_t stream) {
  if (stream == -1) return std::nullopt;
  if (stream == 1) return cudaStreamLegacy;
  if (stream == 2) return cudaStreamPerThread;
  if (stream > 2) return reinterpret_cast<cudaStream_t>(stream);
  throw ExchangeError{to_text({"the stream is ", stream,
                               ", expected 1 for the legacy default stream, 2 for the "
                               "per-thread one, -1 for no order, or a handle"})};
}

// Keeps memory until the consumer's stream has done the work given to it before the deleter. The memory is reused in
// the order of our stream, which does not know the consumer's.
class UntilConsumed {
 public:
  UntilConsumed(std::shared_ptr<void const> owner, std::shared_ptr<tessera::detail::Stream> ours, cudaStream_t theirs)
      : owners_{std::move(owner)}, ours_{std::move(ours)}, theirs_{theirs} {}
  UntilConsumed(UntilConsumed const&) = delete;
  UntilConsumed& operator=(UntilConsumed const&) = delete;
  ~UntilConsumed() {
    try {
      if (theirs_ == cudaStreamLegacy) {
        Event<space::Device> end;
        end.record(theirs_, ours_->context());
        end.hold_back(ours_->handle());
        return;
      }
    } catch (Error const&) {  // then as for other streams
    }
    // A consumer's stream may be gone, and each thread has its own per-thread stream: wait for the device.
    ours_->destroy_after_device(std::move(owners_));
  }

 private:
  tessera::detail::AfterDevice::Owners owners_;
  std::shared_ptr<tessera::detail::Stream> ours_;
  cudaStream_t theirs_;
};

// Lets the consumer use `made`: on the host, when this returns; on a device, in the order of its stream.
template <MemorySpace S>
Shared<S> ordered(Shared<S> made, DLDevice target, Queue<space::Device>& on, Request const& wanted) {
  if (target.device_type == kDLCPU) {
    on.wait();
    return made;
  }
  if (!wanted.stream && target.device_type != kDLCUDA) {  // the host may use it
    on.wait();
    return made;
  }
  auto const stream = handle_of(wanted.stream.value_or(1));
  if (!stream) return made;
  on.record().hold_back(*stream);
  made.owner = std::make_shared<UntilConsumed>(std::move(made.owner), on.shared_stream(), *stream);
  return made;
}

}}}}  // namespace tessera::v0::dlpack::detail
