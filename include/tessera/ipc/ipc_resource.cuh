// IpcResource: device memory that can be exported to other processes. IpcPool: a pool of device memory that other
// processes can open.
#pragma once
#include <cstddef>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/checked.hpp>
#include <tessera/memory/detail/device_pool.cuh>
#include <tessera/memory/resource.cuh>

namespace tessera { inline namespace v0 { namespace ipc {

/// A memory resource for a queue: `Queue<space::Device>{host, {.device = resource}}`. Arrays read on that queue can be
/// published without a copy; memory of the pools that queues otherwise use cannot. Each block is a separate allocation
/// of whole 2 MiB, so that a handle exposes no neighbours. cudaMalloc makes blocks and cudaFree, which waits for the
/// device, frees them; the queue keeps blocks and reuses them.
class IpcResource {
 public:
  /// At least `size` bytes. Throws: DeviceError, if there is no memory.
  void* allocate(std::size_t size, std::size_t) {
    void* data = nullptr;
    auto const status = ::cudaMalloc(&data, (checked_size(size, "the block") / whole + 1) * whole);
    return tessera::detail::made(data, status, size, "device memory", "cudaMalloc");
  }
  /// Waits for the device.
  void deallocate(void* data, std::size_t, std::size_t) noexcept { tessera::detail::succeeds(::cudaFree(data)); }

 private:
  static constexpr std::size_t whole = std::size_t{2} << 20;
};

/// A memory resource like IpcResource, for many short-lived arrays: memory is allocated and freed in the queue's order,
/// without waiting for the device. A process that attaches one array can reach the whole pool. Such pools keep freed
/// memory until their destruction (CUDA's programming guide, "IPC memory pools"). For queues of one device that
/// supports them (cudaDevAttrMemoryPoolSupportedHandleTypes).
class IpcPool : public tessera::detail::DevicePool {
 public:
  IpcPool() : DevicePool{cudaMemHandleTypePosixFileDescriptor} {}
};

}}}  // namespace tessera::v0::ipc
