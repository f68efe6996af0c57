// A memory pool of a stream's own, or what stands for it on a device that has none.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include <cuda_runtime_api.h>

#include <tessera/core/cuda_check.cuh>
#include <tessera/memory/resource.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// The device's default pool gives its memory back at every wait, unless the program, whose it is, told it otherwise.
/// This one keeps what is freed until it is trimmed. Made when it is asked first; outlives what it allocates.
/// A memory resource (memory/resource.cuh). Every call is made in the context of its device.
class DevicePool {
 public:
  /// `exported`: how other processes may open the pool.
  explicit DevicePool(cudaMemAllocationHandleType exported = cudaMemHandleTypeNone) : exported_{exported} {}
  DevicePool(DevicePool const&) = delete;
  DevicePool& operator=(DevicePool const&) = delete;
  ~DevicePool() {
    if (pool_) succeeds(::cudaMemPoolDestroy(pool_));
  }

  void* allocate(cudaStream_t stream, std::size_t size, std::size_t) {
    auto const pool = made_pool();
    void* data = nullptr;
    auto status = ::cudaMallocFromPoolAsync(&data, size, pool, stream);
    if (status == cudaErrorMemoryAllocation && !succeeds(status) && succeeds(::cudaMemPoolTrimTo(pool, 0)))
      status = ::cudaMallocFromPoolAsync(&data, size, pool, stream);  // what the pool kept was in the way
    return made(data, status, size, "device memory", "cudaMallocFromPoolAsync");
  }
  void deallocate(cudaStream_t stream, void* data, std::size_t, std::size_t) noexcept {
    succeeds(::cudaFreeAsync(data, stream));
  }

  /// Gives back what it keeps, if that is more than so many bytes.
  void trim_to(std::uint64_t most) noexcept {
    std::lock_guard lock{mutex_};
    if (!pool_) return;
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

/// Where devices have no pools: blocks of it are kept and lent again (memory/blocks.cuh).
struct WithoutPool {
  void* allocate(std::size_t size, std::size_t) const {
    void* data = nullptr;
    auto const status = ::cudaMalloc(&data, size);
    return made(data, status, size, "device memory", "cudaMalloc");
  }
  void deallocate(void* data, std::size_t, std::size_t) const noexcept { succeeds(::cudaFree(data)); }
};

}}}  // namespace tessera::v0::detail
