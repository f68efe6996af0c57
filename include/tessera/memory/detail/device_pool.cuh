// DevicePool: a memory pool for one stream. WithoutPool: its substitute on devices without pools.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/memory/resource.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// A memory resource (memory/resource.cuh). The device's default pool belongs to the program, and by default frees its
/// memory at every wait. This pool keeps freed memory until it is trimmed. It is created at the first allocation and
/// must outlive its allocations. Requires: calls are made in the context of its device.
class DevicePool {
 public:
  /// `exported`: how other processes may open the pool.
  explicit DevicePool(cudaMemAllocationHandleType exported = cudaMemHandleTypeNone) : exported_{exported} {}
  DevicePool(DevicePool const&) = delete;
  DevicePool& operator=(DevicePool const&) = delete;
  ~DevicePool() {
    if (!pool_) return;
    ApartFromCaptures const apart;
    succeeds(::cudaMemPoolDestroy(pool_));
  }

  void* allocate(cudaStream_t stream, std::size_t size, std::size_t) {
    auto const pool = made_pool();
    void* data = nullptr;
    auto status = ::cudaMallocFromPoolAsync(&data, size, pool, stream);
    // Memory that the pool keeps may be in the way; it cannot give up what was freed in work still to be done.
    if (status == cudaErrorMemoryAllocation && !succeeds(status) && succeeds(::cudaStreamSynchronize(stream)) &&
        succeeds(::cudaMemPoolTrimTo(pool, 0)))
      status = ::cudaMallocFromPoolAsync(&data, size, pool, stream);
    return made(data, status, size, "device memory", "cudaMallocFromPoolAsync");
  }
  void deallocate(cudaStream_t stream, void* data, std::size_t, std::size_t) noexcept {
    succeeds(::cudaFreeAsync(data, stream));
  }

  /// Frees memory that the pool keeps beyond `most` bytes.
  void trim_to(std::uint64_t most) noexcept {
    std::lock_guard lock{mutex_};
    if (!pool_) return;
    ApartFromCaptures const apart;
    std::uint64_t reserved = 0, used = 0;
    if (succeeds(::cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved)) &&
        succeeds(::cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used)) && reserved > used &&
        reserved - used > most)
      succeeds(::cudaMemPoolTrimTo(pool_, used + most));
  }

 private:
  cudaMemPool_t made_pool() {
    std::lock_guard lock{mutex_};
    if (pool_) return pool_;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = exported_;
    properties.location.type = cudaMemLocationTypeDevice;
    check(::cudaGetDevice(&properties.location.id), "cudaGetDevice");
    cudaMemPool_t pool = nullptr;
    check(::cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
    auto all = std::numeric_limits<std::uint64_t>::max();
    auto const status = ::cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    if (status != cudaSuccess) succeeds(::cudaMemPoolDestroy(pool));
    check(status, "cudaMemPoolSetAttribute");
    return pool_ = pool;
  }

  cudaMemAllocationHandleType exported_;
  std::mutex mutex_;
  cudaMemPool_t pool_ = nullptr;
};

/// cudaMalloc, for devices without pools: its blocks are kept and reused (memory/detail/blocks.cuh).
struct WithoutPool {
  void* allocate(std::size_t size, std::size_t) const {
    void* data = nullptr;
    auto const status = ::cudaMalloc(&data, size);
    return made(data, status, size, "device memory", "cudaMalloc");
  }
  void deallocate(void* data, std::size_t, std::size_t) const noexcept { succeeds(::cudaFree(data)); }
};

}}}  // namespace tessera::v0::detail
