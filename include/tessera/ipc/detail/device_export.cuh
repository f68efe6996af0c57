// publish_device: publishes an array in device memory, with an event after which its elements are there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/ipc/detail/memory_handle.cuh>
#include <tessera/ipc/producer.hpp>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

/// An event that other processes can wait for; the bytes are ready after it.
class SharedEvent {
 public:
  /// Throws: DeviceError.
  explicit SharedEvent(std::shared_ptr<tessera::detail::Stream> stream) : stream_{std::move(stream)} {
    tessera::detail::InContext const here{stream_->context()};
    tessera::detail::check(::cudaEventCreateWithFlags(&event_, cudaEventInterprocess | cudaEventDisableTiming),
                           "cudaEventCreateWithFlags");
    auto status = ::cudaEventRecord(event_, stream_->handle());
    if (status == cudaSuccess) status = ::cudaIpcGetEventHandle(&handle_, event_);
    if (status == cudaSuccess) return;
    tessera::detail::succeeds(::cudaEventDestroy(event_));
    tessera::detail::check(status, "cudaIpcGetEventHandle");
  }
  SharedEvent(SharedEvent const&) = delete;
  SharedEvent& operator=(SharedEvent const&) = delete;
  ~SharedEvent() {
    tessera::detail::InContext::call(stream_->context(),
                                     [&] { tessera::detail::succeeds(::cudaEventDestroy(event_)); });
  }

  cudaEvent_t get() const { return event_; }
  std::vector<std::byte> handle() const { return octets_of(handle_); }

 private:
  std::shared_ptr<tessera::detail::Stream> stream_;
  cudaEvent_t event_ = nullptr;
  cudaIpcEventHandle_t handle_{};
};

/// Publishes an array in memory that `owner` keeps. Consumers' work starts after the work that `on` has so far.
inline Published publish_device(Producer& producer, Descriptor array, std::byte* data,
                                std::shared_ptr<void const> owner, Queue<space::Device>& on) {
  struct Owner {
    std::shared_ptr<void const> memory;
    SharedEvent ready;
    std::shared_ptr<Published const> pool;
  };
  tessera::detail::ApartFromCaptures const apart;
  auto const range = range_of(data);
  auto handle = memory_handle(producer, range.begin);
  auto const kept = std::shared_ptr<Owner>{new Owner{std::move(owner), SharedEvent{on.shared_stream()}, handle.pool}};
  Exported allocation{.kind = handle.kind, .device = uuid_of(on.device())};
  allocation.size = range.size, allocation.data = range.begin;
  allocation.handle = std::move(handle.octets), allocation.event = kept->ready.handle();
  allocation.own_event = kept->ready.get();
  if (handle.pool) allocation.pool = handle.pool->descriptor().memory.number;
  allocation.outlasts_leases = true;
  allocation.owner = kept;
  array.offset = static_cast<std::uint64_t>(data - range.begin);
  return producer.publish(std::move(allocation), std::move(array));
}

}}}}  // namespace tessera::v0::ipc::detail
