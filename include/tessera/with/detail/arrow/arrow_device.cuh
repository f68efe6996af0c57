// The event that a consumer waits for, and what keeps device memory until its last use.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/detail/stream.cuh>
#include <tessera/with/detail/arrow/arrow_column.hpp>

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
    tessera::detail::InContext::call(stream_->context(), [&] {
      tessera::detail::ApartFromCaptures const apart;
      // If waiting fails, once more: the memory is about to be freed.
      if (!tessera::detail::succeeds(::cudaDeviceSynchronize()))
        tessera::detail::succeeds(::cudaDeviceSynchronize());
      tessera::detail::succeeds(::cudaEventDestroy(event_));
    });
  }

  cudaEvent_t* event() { return &event_; }
  void keep(std::shared_ptr<void const> owner) { owners_.push_back(std::move(owner)); }

 private:
  std::shared_ptr<tessera::detail::Stream> stream_;
  cudaEvent_t event_ = nullptr;
  std::vector<std::shared_ptr<void const>> owners_{};
};

// Consumers may move children away and release them last: each keeps the guard, and by it all owners.
inline void keep_all(Column<space::Device>& column, std::shared_ptr<UntilReleased> const& guard) {
  if (column.owner) guard->keep(std::exchange(column.owner, nullptr));
  column.owner = guard;
  for (auto& child : column.children) keep_all(child, guard);
  for (auto& dictionary : column.dictionary) keep_all(dictionary, guard);
}

}}}}  // namespace tessera::v0::arrow_c::detail
