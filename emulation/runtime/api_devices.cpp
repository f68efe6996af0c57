// Devices: the current one, access between them, the end of a context.
#include "allocation.hpp"
#include "entry.hpp"
#include "gpu.hpp"
#include "report.hpp"
#include "scheduler.hpp"

using namespace emulation;

namespace {

bool exists(int device) { return device >= 0 && device < world().machine.devices; }

int attribute(cudaDeviceAttr wanted) {
  switch (wanted) {
    case cudaDevAttrMaxThreadsPerBlock:
      return 1024;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMultiProcessorCount:
      return 1;
    case cudaDevAttrComputeCapabilityMajor:
      return 8;
    case cudaDevAttrAsyncEngineCount:
      return 2;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrIpcEventSupport:
      return 1;
    case cudaDevAttrConcurrentManagedAccess:
      return world().machine.concurrent_managed ? 1 : 0;
    case cudaDevAttrMemoryPoolsSupported:
      return world().machine.pools ? 1 : 0;
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeCapabilityMinor:
    case cudaDevAttrPageableMemoryAccess:
      return 0;
  }
  return -1;
}

/// Opens or closes memory of `owner` from cudaMalloc to kernels of `device`.
void let_reach(int device, int owner, bool may) {
  std::uint32_t const bit = std::uint32_t{1} << device;
  for (Allocation& allocation : regions().all()) {
    if (allocation.device != owner || allocation.kind != Kind::device || allocation.pool >= 0) continue;
    if (may) {
      allocation.accessible |= bit;
    } else {
      allocation.accessible &= ~bit;
      gpu::close(allocation, bit);
    }
  }
}

}  // namespace

void emulation::end_context(int device) {
  scheduler::await_all(device);
  for (auto const& stream : world().streams.all()) {
    if (stream->device == device) stream->lost = true;
  }
  for (auto const& event : world().events.all()) {
    if (event->device == device) event->lost = true;
  }
  for (auto const& pool : world().pools.all()) {
    if (pool->device == device && !pool->standard) pool->destroyed = true;
  }
  for (Allocation& allocation : regions().all()) {
    bool const there = allocation.state == State::live || allocation.state == State::reserved;
    if (there && allocation.device == device && allocation.kind != Kind::page_locked) {
      release(allocation, State::lost);
    }
  }
  Device& context = world().devices[device];
  for (int other = 0; other < most_devices; ++other) {
    if ((context.peers >> other & 1) != 0) let_reach(device, other, false);
  }
  context.error = cudaSuccess;
  if (context.context) ++context.contexts;
  context.context = false;
  context.peers = 0;
  context.legacy = nullptr;
  context.pool = context.standard_pool;
  context.standard_pool->reserved = 0;
  if (!sanitizer::threads) gpu::restart(device);
}

cudaError_t cudaGetDeviceCount(int* count) {
  return enter("cudaGetDeviceCount", Role::device, [&](Entry&) {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = world().machine.devices;
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return enter("cudaGetDevice", Role::device, [&](Entry&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return enter("cudaSetDevice", Role::device, [&](Entry& entry) {
    if (!exists(device)) return cudaErrorInvalidDevice;
    contexts::set_device(device, entry.name(), entry.caller());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return enter("cudaDeviceSynchronize", Role::order, [&](Entry& entry) {
    entry.tell_spins(true);
    scheduler::await_all(current_device());
    scheduler::trim_pools(current_device());
    return world().devices[current_device()].error;
  });
}

cudaError_t cudaDeviceReset() {
  return enter("cudaDeviceReset", Role::device, [&](Entry&) {
    end_context(current_device());
    last_error() = cudaSuccess;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr wanted, int device) {
  return enter("cudaDeviceGetAttribute", Role::device, [&](Entry& entry) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!exists(device)) return cudaErrorInvalidDevice;
    int const known = attribute(wanted);
    if (known < 0) {
      say({entry.name(), ": attribute ", static_cast<int>(wanted), " is not emulated"});
      return cudaErrorInvalidValue;
    }
    *value = known;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return enter("cudaDeviceCanAccessPeer", Role::device, [&](Entry&) {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!exists(device) || !exists(peer)) return cudaErrorInvalidDevice;
    *can = world().machine.peers && device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return enter("cudaDeviceEnablePeerAccess", Role::work, [&](Entry&) {
    if (flags != 0) return cudaErrorInvalidValue;
    if (!exists(peer)) return cudaErrorInvalidDevice;
    if (!world().machine.peers || peer == current_device()) return cudaErrorPeerAccessUnsupported;
    std::uint32_t& peers = world().devices[current_device()].peers;
    if ((peers >> peer & 1) != 0) return cudaErrorPeerAccessAlreadyEnabled;
    peers |= std::uint32_t{1} << peer;
    let_reach(current_device(), peer, true);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return enter("cudaDeviceDisablePeerAccess", Role::work, [&](Entry&) {
    if (!exists(peer)) return cudaErrorInvalidDevice;
    std::uint32_t& peers = world().devices[current_device()].peers;
    if ((peers >> peer & 1) == 0) return cudaErrorPeerAccessNotEnabled;
    peers &= ~(std::uint32_t{1} << peer);
    let_reach(current_device(), peer, false);
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* runtime_version) {
  return enter("cudaRuntimeGetVersion", Role::device, [&](Entry&) {
    if (runtime_version == nullptr) return cudaErrorInvalidValue;
    *runtime_version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* driver_version) {
  return enter("cudaDriverGetVersion", Role::device, [&](Entry&) {
    if (driver_version == nullptr) return cudaErrorInvalidValue;
    *driver_version = CUDART_VERSION;
    return cudaSuccess;
  });
}
