// attach_device: opens an allocation of another process, or one of this process, and orders a queue after its event.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/detail/driver.cuh>
#include <tessera/ipc/detail/imported_pool.cuh>
#include <tessera/ipc/detail/memory_handle.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

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
    tessera::detail::ApartFromCaptures const apart;
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
    tessera::detail::ApartFromCaptures const apart;
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
    if (array.memory.handle.empty() || !reply.has_handle(array.memory.handle))  // of this process, too
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

}}}}  // namespace tessera::v0::ipc::detail
