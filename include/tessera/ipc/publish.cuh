// Publishes arrays of a device's memory, by CUDA IPC.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/core/cuda_check.cuh>
#include <tessera/core/cuda_context.cuh>
#include <tessera/ipc/driver.cuh>
#include <tessera/ipc/producer.hpp>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

template <class Handle>
std::vector<std::byte> octets_of(Handle const& handle) {
  std::vector<std::byte> octets(sizeof handle);
  std::memcpy(octets.data(), &handle, sizeof handle);
  return octets;
}

/// An event that other processes can wait for: the bytes are ready behind it.
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

/// The handle of the allocation that the address lies in. Throws: IpcError, if it is of a kind that has none.
inline std::vector<std::byte> memory_handle(std::byte* data) {
  cudaIpcMemHandle_t handle{};
  auto const status = ::cudaIpcGetMemHandle(&handle, data);
  if (status == cudaErrorInvalidValue) {
    static_cast<void>(::cudaGetLastError());
    throw IpcError{
        "this device memory is of a pool, which CUDA IPC cannot export: give the queue an IpcResource, "
        "Queue<space::Device>{host, {.device = resource}}, and read on it"};
  }
  tessera::detail::check(status, "cudaIpcGetMemHandle");
  return octets_of(handle);
}

}  // namespace detail

/// An array in device memory that can be exported, without a copy: read on a queue with an IpcResource. Consumers' work
/// comes after what `on` was given so far. Throws: IpcError, if the memory is of a pool; DeviceError. Pinned and
/// managed buffers do not compile.
template <class T, std::size_t Rank, class B>
Published publish(Producer& producer, OwnedArray<T, Rank, B> array, Queue<space::Device>& on) {
  static_assert(std::same_as<typename B::space_type, space::Device>,
                "tessera: CUDA exports neither pinned nor managed memory to other processes: read into a DeviceBuffer "
                "on a queue with an IpcResource, or into a SharedBuffer for the host");
  tessera::detail::InContext const here{on.shared_stream()->context()};
  struct Owner {
    Owner(OwnedArray<T, Rank, B> taken, std::shared_ptr<tessera::detail::Stream> const& stream)
        : array{std::move(taken)}, ready{stream} {}
    OwnedArray<T, Rank, B> array;
    detail::SharedEvent ready;
  };
  if (array.size() == 0) throw IpcError{"an array without elements has no device memory to publish"};
  auto const owner = std::make_shared<Owner>(std::move(array), on.shared_stream());
  auto* const data = reinterpret_cast<std::byte*>(owner->array.data());
  auto const range = detail::range_of(data);
  detail::Exported allocation{.kind = "cuda-ipc", .device = detail::uuid_of(on.device())};
  allocation.size = range.size, allocation.data = range.begin;
  allocation.handle = detail::memory_handle(data), allocation.event = owner->ready.handle();
  allocation.own_event = owner->ready.get();
  allocation.outlasts_leases = true;
  allocation.owner = owner;
  Descriptor described;
  described.type = data_type_of<T>(), described.shape = owner->array.shape(),
  described.strides = owner->array.strides();
  described.offset = static_cast<std::uint64_t>(data - range.begin);
  return producer.publish(std::move(allocation), std::move(described));
}

}}}  // namespace tessera::v0::ipc
