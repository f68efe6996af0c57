// publish: arrays in device memory, by CUDA IPC.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/ipc/detail/driver.cuh>
#include <tessera/ipc/detail/memory_handle.cuh>
#include <tessera/ipc/producer.hpp>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

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

}  // namespace detail

/// Publishes an array in exportable device memory, without a copy: read on a queue with an IpcResource or an IpcPool,
/// or in a pool of the caller with handleTypes = cudaMemHandleTypePosixFileDescriptor. Consumers' work starts after the
/// work that `on` has so far. Throws: IpcError, which says why the memory cannot be exported, and what to do;
/// DeviceError. Pinned and managed buffers do not compile.
template <class T, std::size_t Rank, class B>
Published publish(Producer& producer, OwnedArray<T, Rank, B> array, Queue<space::Device>& on) {
  static_assert(std::same_as<typename B::space_type, space::Device>,
                "tessera: CUDA exports neither pinned nor managed memory to other processes: read into a DeviceBuffer "
                "on a queue with an IpcResource, or into a SharedBuffer for the host");
  tessera::detail::InContext const here{on.shared_stream()->context()};
  if (array.size() == 0) throw IpcError{"an array without elements has no device memory to publish"};
  Descriptor described;
  described.type = data_type_of<T>(), described.shape = array.shape(), described.strides = array.strides();
  auto const owner = std::make_shared<OwnedArray<T, Rank, B>>(std::move(array));
  return detail::publish_device(producer, std::move(described), reinterpret_cast<std::byte*>(owner->data()), owner, on);
}

}}}  // namespace tessera::v0::ipc
