// IpcPool: a pool of device memory that other processes can open.
#pragma once
#include <tessera/memory/detail/device_pool.cuh>

namespace tessera { inline namespace v0 { namespace ipc {

/// A memory resource like IpcResource, for many short-lived arrays: memory is allocated and freed in the queue's order,
/// without waiting for the device. A process that attaches one array can reach the whole pool. Such pools keep freed
/// memory until their destruction (CUDA's programming guide, "IPC memory pools"). For queues of one device that
/// supports them (cudaDevAttrMemoryPoolSupportedHandleTypes).
class IpcPool : public tessera::detail::DevicePool {
 public:
  IpcPool() : DevicePool{cudaMemHandleTypePosixFileDescriptor} {}
};

}}}  // namespace tessera::v0::ipc
