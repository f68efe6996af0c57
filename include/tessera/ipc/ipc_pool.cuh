// A pool of device memory that other processes can open.
#pragma once
#include <tessera/memory/device_pool.cuh>

namespace tessera { inline namespace v0 { namespace ipc {

/// A memory resource, as IpcResource is, for many arrays that come and go: memory is made and freed in the queue's
/// order, and nothing waits for the device. Who attaches one array of it can reach all of the pool. Such pools keep
/// what is freed until they go (CUDA's programming guide, "IPC memory pools"). For queues of one device, which has
/// pools (cudaDevAttrMemoryPoolSupportedHandleTypes).
class IpcPool : public tessera::detail::DevicePool {
 public:
  IpcPool() : DevicePool{cudaMemHandleTypePosixFileDescriptor} {}
};

}}}  // namespace tessera::v0::ipc
