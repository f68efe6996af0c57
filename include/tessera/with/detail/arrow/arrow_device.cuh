// The event that a consumer waits for, what keeps device memory until its last use, and arrays of other libraries.
#pragma once
#include <memory>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/detail/after_device.cuh>
#include <tessera/memory/detail/stream.cuh>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>
#include <tessera/with/detail/arrow/arrow_owned.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

/// Owns a column's memory, and an event after the stream's work so far. Its destructor waits for the device.
class UntilReleased {
 public:
  /// Throws: DeviceError.
  explicit UntilReleased(std::shared_ptr<tessera::detail::Stream> stream) : stream_{std::move(stream)} {
    tessera::detail::InContext const here{stream_->context()};
    tessera::detail::check(::cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    auto const status = ::cudaEventRecord(event_, stream_->handle());
    if (status == cudaSuccess) return;
    tessera::detail::succeeds(::cudaEventDestroy(event_));
    tessera::detail::check(status, "cudaEventRecord");
  }
  UntilReleased(UntilReleased const&) = delete;
  UntilReleased& operator=(UntilReleased const&) = delete;
  ~UntilReleased() {
    tessera::detail::InContext::call(stream_->context(),
                                     [&] { tessera::detail::succeeds(::cudaEventDestroy(event_)); });
    stream_->destroy_after_device(std::move(owners_));
  }

  cudaEvent_t* event() { return &event_; }
  void keep(std::shared_ptr<void const> owner) { owners_.push_back(std::move(owner)); }

 private:
  std::shared_ptr<tessera::detail::Stream> stream_;
  cudaEvent_t event_ = nullptr;
  tessera::detail::AfterDevice::Owners owners_{};
};

/// Owns another library's array, which its destructor releases after the device's work.
class TakenArray {
 public:
  TakenArray(Owned<ArrowDeviceArray> array, std::shared_ptr<tessera::detail::Stream> stream)
      : stream_{std::move(stream)} {
    auto const kept = std::make_shared<Owned<ArrowDeviceArray> const>(std::move(array));
    owners_.push_back(kept);
    array_ = kept.get();
  }
  TakenArray(TakenArray const&) = delete;
  TakenArray& operator=(TakenArray const&) = delete;
  ~TakenArray() { stream_->destroy_after_device(std::move(owners_)); }

  ArrowDeviceArray const& get() const { return array_->get(); }

  /// Makes the stream wait for the array's event, if it has one. Throws: DeviceError.
  void hold_back() const {
    if (!get().sync_event) return;
    tessera::detail::InContext const here{stream_->context()};
    auto const event = *static_cast<cudaEvent_t const*>(get().sync_event);
    tessera::detail::check(::cudaStreamWaitEvent(stream_->handle(), event, 0), "cudaStreamWaitEvent");
  }

 private:
  std::shared_ptr<tessera::detail::Stream> stream_;
  tessera::detail::AfterDevice::Owners owners_{};  // of the array
  Owned<ArrowDeviceArray> const* array_;
};

// Buffers of columns without elements that are elsewhere become null: producers put any address there. Throws:
// ExchangeError, if another buffer is not in the memory of that device, as the CUDA runtime sees it; DeviceError.
inline void expect_on_device(Column<space::Device>& column, int device) {
  for (auto& buffer : column.buffers) {
    if (!buffer) continue;
    cudaPointerAttributes found{};
    tessera::detail::check(::cudaPointerGetAttributes(&found, buffer), "cudaPointerGetAttributes");
    if (found.type == cudaMemoryTypeDevice && found.device == device) continue;
    if (column.length != 0)
      refuse_array(column.name, column.format, to_text({"the array says that it is in the memory of device ", device,
                                                        ", but the CUDA runtime says that a buffer is not"}));
    buffer = nullptr;
  }
  for (auto& child : column.children) expect_on_device(child, device);
  for (auto& dictionary : column.dictionary) expect_on_device(dictionary, device);
}

// Consumers may move children away and release them last: each keeps the guard, and by it all owners.
inline void keep_all(Column<space::Device>& column, std::shared_ptr<UntilReleased> const& guard) {
  if (column.owner) guard->keep(std::exchange(column.owner, nullptr));
  column.owner = guard;
  for (auto& child : column.children) keep_all(child, guard);
  for (auto& dictionary : column.dictionary) keep_all(dictionary, guard);
}

}}}}  // namespace tessera::v0::arrow_c::detail
