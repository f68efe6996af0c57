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
#include <fcntl.h>

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

/// How other processes open the allocation that an address lies in.
struct MemoryHandle {
  std::string kind;
  std::vector<std::byte> octets;
  std::shared_ptr<Published const> pool{};  // of memory of a pool
};

/// The pool, for other processes: an open file, which goes to each that takes a lease of it. Throws: IpcError, if it
/// cannot be exported.
inline std::shared_ptr<Published const> publish_pool(Producer& producer, cudaMemPool_t pool) {
  return producer.once(pool, [&] {
    int number = -1;
    auto const status = ::cudaMemPoolExportToShareableHandle(&number, pool, cudaMemHandleTypePosixFileDescriptor, 0);
    if (status == cudaErrorInvalidValue || status == cudaErrorNotSupported) {
      static_cast<void>(::cudaGetLastError());
      throw IpcError{
          "this device memory is of a pool that was made for this process alone (handleTypes is not "
          "cudaMemHandleTypePosixFileDescriptor): read on a queue with an IpcResource or an IpcPool, "
          "Queue<space::Device>{host, {.device = resource}}; or publish a copy, ipc::publish(producer, array.view(), "
          "queue), of tessera/ipc/publish_copy.cuh"};
    }
    tessera::detail::check(status, "cudaMemPoolExportToShareableHandle");
    auto const file = std::make_shared<File const>(number);
    Exported exported{.kind = "cuda-pool"};
    exported.data = reinterpret_cast<std::byte*>(pool);  // what it is to this process
    exported.open = [file](bool) {
      auto const another = ::fcntl(file->number(), F_DUPFD_CLOEXEC, 0);
      if (another < 0) fail("copy the descriptor of a pool");
      return another;
    };
    Descriptor nothing;
    nothing.type = data_type_of<std::uint8_t>(), nothing.shape = {0}, nothing.strides = {1};
    return producer.publish(std::move(exported), std::move(nothing));
  });
}

/// `data`: the allocation's first byte. Throws: IpcError, if it is of a kind that cannot be exported.
inline MemoryHandle memory_handle(Producer& producer, std::byte* data) {
  if (auto const pool = pool_of(data)) {
    auto shared = publish_pool(producer, pool);
    cudaMemPoolPtrExportData exported{};
    tessera::detail::check(::cudaMemPoolExportPointer(&exported, data), "cudaMemPoolExportPointer");
    return {"cuda-pool", octets_of(exported), std::move(shared)};
  }
  cudaIpcMemHandle_t handle{};
  auto const status = ::cudaIpcGetMemHandle(&handle, data);
  if (status == cudaErrorInvalidValue) {
    static_cast<void>(::cudaGetLastError());
    throw IpcError{
        "this device memory is neither cudaMalloc's nor of a pool, and cannot be exported: read on a queue with an "
        "IpcResource, Queue<space::Device>{host, {.device = resource}}"};
  }
  tessera::detail::check(status, "cudaIpcGetMemHandle");
  return {"cuda-ipc", octets_of(handle)};
}

/// An array in the memory that `owner` keeps. Consumers' work comes after what `on` was given so far.
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

/// An array in device memory that can be exported, without a copy: read on a queue with an IpcResource or an IpcPool,
/// or in a pool of the caller's with handleTypes = cudaMemHandleTypePosixFileDescriptor. Consumers' work comes after
/// what `on` was given so far. Throws: IpcError, which says why the memory cannot be exported, and what to do;
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
