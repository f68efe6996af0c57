// AfterDevice: owners of memory that streams of other libraries may use, destroyed after all work of the device.
#pragma once
#include <list>
#include <memory>
#include <mutex>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Any thread may use it.
class AfterDevice {
 public:
  using Owners = std::list<std::shared_ptr<void const>>;  // lists are joined without an allocation

  /// Waits for the device, and destroys the owners in its context. CUDA refuses to wait while a stream of the device is
  /// captured into a graph, and ends that capture (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations"):
  /// then the owners stay until a later call. If the context was destroyed, they are destroyed at once.
  void destroy(Owners owners, Context const& context) noexcept {
    {
      std::lock_guard lock{mutex_};
      owners.splice(owners.end(), owners_);
    }
    if (owners.empty()) return;
    bool is_refused = false;
    InContext::call(context, [&] {
      ApartFromCaptures const apart;
      is_refused = !wait();
      if (!is_refused) owners.clear();
    });
    if (!is_refused) return;
    std::lock_guard lock{mutex_};
    owners_.splice(owners_.end(), owners);
  }

 private:
  // False: a stream is being captured. If waiting fails otherwise, once more: memory of the work is freed next.
  static bool wait() noexcept {
    for (int tries = 0; tries < 2; ++tries) {
      auto const status = ::cudaDeviceSynchronize();
      if (succeeds(status)) return true;
      if (status == cudaErrorStreamCaptureUnsupported || status == cudaErrorStreamCaptureInvalidated) return false;
    }
    return true;
  }

  std::mutex mutex_;
  Owners owners_;  // that stay
};

}}}  // namespace tessera::v0::detail
