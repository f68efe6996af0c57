// attach, attach_to_write: arrays in device memory that other processes published.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/detail/driver.cuh>
#include <tessera/ipc/detail/imported_pool.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace ipc {
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
  explicit Import(Reply const& reply)
      : event_{reinterpret_cast<cudaEvent_t>(reply.event)},
        range_{reinterpret_cast<std::byte*>(reply.address), static_cast<std::size_t>(reply.size)} {}
  /// Of another process; from `pool`, unless that is empty. Throws: IpcError, DeviceError.
  Import(Memory const& memory, Hold pool, tessera::detail::Context context)
      : context_{context}, pool_{std::move(pool)} {
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
  auto attached = consumer.attach_by<space::Device, L>(array, [&](Reply const& reply, File) {
    if (auto const here = uuid_of(on.device()); array.memory.device != here)
      throw IpcError{
          to_text({"the array is in the memory of ", array.memory.device, ", but the queue's device is ", here})};
    if (reply.address == 0 && !reply.has_handle(array.memory.handle))
      throw IpcError{
          to_text({"the handle does not belong to allocation ", array.memory.number, ", which the lease is for"})};
    auto const& context = stream->context();
    auto import = reply.address != 0
                      ? std::make_shared<Import>(reply)
                      : std::make_shared<Import>(array.memory, hold_pool_of(consumer, array, context), context);
    auto const range = import->range();
    return Opened{range.begin, range.size, import};
  });
  static_cast<Import*>(attached.buffer().owner().get())->order(stream);
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
