// Device memory between processes. publish: arrays in device memory, by CUDA IPC. attach, attach_to_write: arrays in
// device memory that other processes published. ipc_resource.cuh: memory that can be exported.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/detail/driver.cuh>
#include <tessera/ipc/detail/imported_pool.cuh>
#include <tessera/ipc/detail/memory_handle.cuh>
#include <tessera/ipc/ipc_resource.cuh>
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

namespace detail {

template <class Handle>
Handle handle_of(std::vector<std::byte> const& octets, char const* what) {
  Handle handle{};
  if (octets.size() != sizeof handle)
    throw IpcError{to_text({"the handle of the ", what, " has ", octets.size(), " octets, expected ", sizeof handle})};
  std::memcpy(&handle, octets.data(), sizeof handle);
  return handle;
}

/// An allocation of another process, open here, or of this process, which needs no opening. It is closed when the
/// queues that it was attached on have done all their work.
class Import {
 public:
  /// Of this process.
  Import(Reply const& reply, int device)
      : device_{device},
        event_{reinterpret_cast<cudaEvent_t>(reply.event)},
        range_{reinterpret_cast<std::byte*>(reply.address), static_cast<std::size_t>(reply.size)} {}
  /// Of another process; from `pool`, unless that is empty. Throws: IpcError, DeviceError.
  Import(Memory const& memory, Hold pool, tessera::detail::Context context, int device)
      : device_{device}, context_{context}, pool_{std::move(pool)} {
    tessera::detail::InContext const here{context_};
    auto const event = handle_of<cudaIpcEventHandle_t>(memory.event, "event");
    open(memory);
    try {
      range_ = range_of(opened_);
      tessera::detail::check(::cudaIpcOpenEventHandle(&event_, event), "cudaIpcOpenEventHandle");
    } catch (...) {
      close();
      throw;
    }
  }
  Import(Import const&) = delete;
  Import& operator=(Import const&) = delete;
  ~Import() {
    for (auto const& stream : streams_) stream->drain();
    tessera::detail::InContext::call(context_, [&] { close(); });
  }

  AddressRange range() const { return range_; }
  int device() const { return device_; }

  /// Orders a stream's later work after the producer's event, once for each stream. Throws: DeviceError.
  void order(std::shared_ptr<tessera::detail::Stream> const& stream) {
    std::lock_guard lock{mutex_};
    if (std::find(streams_.begin(), streams_.end(), stream) != streams_.end()) return;
    tessera::detail::InContext const here{stream->context()};
    tessera::detail::check(::cudaStreamWaitEvent(stream->handle(), event_, 0), "cudaStreamWaitEvent");
    streams_.push_back(stream);  // only now: after a failure, a later attach tries again
  }

 private:
  void open(Memory const& memory) {
    if (!pool_)
      return tessera::detail::check(
          ::cudaIpcOpenMemHandle(&opened_, handle_of<cudaIpcMemHandle_t>(memory.handle, "memory"),
                                 cudaIpcMemLazyEnablePeerAccess),
          "cudaIpcOpenMemHandle");
    auto data = handle_of<cudaMemPoolPtrExportData>(memory.handle, "memory");
    auto const pool = static_cast<ImportedPool const*>(pool_.opened().owner.get())->get();
    tessera::detail::check(::cudaMemPoolImportPointer(&opened_, pool, &data), "cudaMemPoolImportPointer");
  }
  void close() noexcept {
    if (!opened_) return;
    if (event_) tessera::detail::succeeds(::cudaEventDestroy(event_));
    tessera::detail::succeeds(pool_ ? ::cudaFree(opened_) : ::cudaIpcCloseMemHandle(opened_));
  }

  int device_;
  tessera::detail::Context context_;
  Hold pool_;
  void* opened_ = nullptr;  // null: an allocation of this process
  cudaEvent_t event_ = nullptr;
  AddressRange range_{};
  std::mutex mutex_;
  std::vector<std::shared_ptr<tessera::detail::Stream>> streams_;
};

template <LeaseKind L>
Attached<space::Device, L> attach_device(Consumer& consumer, Descriptor const& array, Queue<space::Device>& on) {
  if (array.memory.kind != "cuda-ipc" && array.memory.kind != "cuda-pool")
    throw IpcError{to_text({"the array is in memory of kind ", array.memory.kind, ", expected cuda-ipc or cuda-pool"})};
  auto const& stream = on.shared_stream();
  auto const refuse = [&] {
    throw IpcError{to_text({"the array is in the memory of ", array.memory.device, ", but the queue's device is ",
                            uuid_of(on.device())})};
  };
  auto attached = consumer.attach_by<space::Device, L>(array, [&](Reply const& reply, File) {
    if (array.memory.device != uuid_of(on.device())) refuse();
    if (reply.address == 0 && !reply.has_handle(array.memory.handle))
      throw IpcError{
          to_text({"the handle does not belong to allocation ", array.memory.number, ", which the lease is for"})};
    auto const& context = stream->context();
    auto imported = reply.address != 0
                        ? std::make_shared<Import>(reply, on.device())
                        : std::make_shared<Import>(array.memory, hold_pool_of(consumer, array, context), context,
                                                   on.device());
    auto const range = imported->range();
    return Opened{range.begin, range.size, imported};
  });
  auto& imported = *static_cast<Import*>(attached.buffer().owner().get());
  if (imported.device() != on.device()) refuse();  // it is open for a queue of another device
  imported.order(stream);
  return attached;
}

}  // namespace detail

/// An array in device memory, or a slice of it, with a lease to read. Later work on `on` starts after the work that the
/// producer's queue had at publication; the host does not wait. The first array of an allocation opens it, later ones
/// make no CUDA call. Closing waits for `on`. Throws: IpcError, if the descriptor is wrong or of another device;
/// ProducerGone; LeaseRefused; DeviceError.
inline Attached<space::Device> attach(Consumer& consumer, Descriptor const& array, Queue<space::Device>& on) {
  return detail::attach_device<Reading>(consumer, array, on);
}
/// With a lease to write, which excludes every other lease.
inline Attached<space::Device, Writing> attach_to_write(Consumer& consumer, Descriptor const& array,
                                                        Queue<space::Device>& on) {
  return detail::attach_device<Writing>(consumer, array, on);
}

}}}  // namespace tessera::v0::ipc
