// Memory pools. Pools only count the memory that they keep: freed memory is closed at once, and its address is not
// reused for long.
#include <algorithm>

#include "entry.hpp"
#include "exports.hpp"
#include "gpu.hpp"
#include "scheduler.hpp"

using namespace emulation;

namespace {

bool exists(int device) { return device >= 0 && device < world().machine.devices; }

Pool* find_pool(cudaMemPool_t handle) {
  Pool* const found = world().pools.find(handle);
  return found != nullptr && !found->destroyed ? found : nullptr;
}

std::uint64_t* number(Pool& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return &pool.threshold;
    case cudaMemPoolAttrReservedMemCurrent:
      return &pool.reserved;
    case cudaMemPoolAttrReservedMemHigh:
      return &pool.reserved_high;
    case cudaMemPoolAttrUsedMemCurrent:
      return &pool.used;
    case cudaMemPoolAttrUsedMemHigh:
      return &pool.used_high;
    default:
      return nullptr;
  }
}

bool is_flag(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

void emulation::scheduler::trim_pools(int device) {
  for (auto const& pool : world().pools.all()) {
    if (pool->device == device && !pool->exportable)
      pool->reserved = std::max(pool->used, std::min(pool->reserved, pool->threshold));
  }
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const* properties) {
  return enter("cudaMemPoolCreate", Role::work, [&](Entry& entry) {
    if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    if (!world().machine.pools) return cudaErrorNotSupported;
    if (properties->allocType != cudaMemAllocationTypePinned ||
        properties->location.type != cudaMemLocationTypeDevice || !exists(properties->location.id)) {
      return cudaErrorInvalidValue;
    }
    bool const exportable = properties->handleTypes == cudaMemHandleTypePosixFileDescriptor;
    if (!exportable && properties->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
    Pool* made = nullptr;
    *pool = world().pools.add(made);
    made->device = properties->location.id;
    made->accessible = std::uint32_t{1} << made->device;
    made->limit = properties->maxSize;
    made->exportable = exportable;
    made->made_at = entry.caller();
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return enter("cudaMemPoolDestroy", Role::release, [&](Entry&) {
    Pool* const pool = find_pool(handle);
    if (pool == nullptr || pool->standard) return cudaErrorInvalidValue;
    pool->destroyed = true;  // its allocations stay until they are freed
    if (Device& device = world().devices[pool->device]; device.pool == pool) device.pool = device.standard_pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return enter("cudaMemPoolSetAttribute", Role::work, [&](Entry&) {
    Pool* const pool = find_pool(handle);
    if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
    if (is_flag(attribute)) {
      pool->flags[attribute] = *static_cast<int*>(value);
      return cudaSuccess;
    }
    auto const wanted = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        pool->threshold = wanted;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:  // "can only be reset to zero"
        if (wanted != 0) return cudaErrorInvalidValue;
        pool->reserved_high = pool->reserved;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemHigh:
        if (wanted != 0) return cudaErrorInvalidValue;
        pool->used_high = pool->used;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return enter("cudaMemPoolGetAttribute", Role::work, [&](Entry&) {
    Pool* const pool = find_pool(handle);
    if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
    if (is_flag(attribute)) {
      *static_cast<int*>(value) = pool->flags[attribute];
    } else if (std::uint64_t const* const known = number(*pool, attribute)) {
      *static_cast<std::uint64_t*>(value) = *known;
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, std::size_t kept) {
  return enter("cudaMemPoolTrimTo", Role::work, [&](Entry&) {
    Pool* const pool = find_pool(handle);
    if (pool == nullptr) return cudaErrorInvalidValue;
    // "IPC pools currently do not support releasing physical blocks back to the OS"
    if (!pool->exportable) pool->reserved = std::max(pool->used, std::min<std::uint64_t>(pool->reserved, kept));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, cudaMemAccessDesc const* accesses, std::size_t count) {
  return enter("cudaMemPoolSetAccess", Role::work, [&](Entry&) {
    Pool* const pool = find_pool(handle);
    if (pool == nullptr || (accesses == nullptr && count != 0)) return cudaErrorInvalidValue;
    std::uint32_t accessible = pool->accessible;
    for (std::size_t i = 0; i < count; ++i) {
      cudaMemLocation const& location = accesses[i].location;
      if (location.type != cudaMemLocationTypeDevice || !exists(location.id)) return cudaErrorInvalidValue;
      std::uint32_t const bit = std::uint32_t{1} << location.id;
      bool const own = location.id == pool->device;
      if (own && accesses[i].flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorInvalidValue;
      if (!own && !world().machine.peers) return cudaErrorInvalidDevice;
      accessible = accesses[i].flags == cudaMemAccessFlagsProtNone ? accessible & ~bit : accessible | bit;
    }
    pool->accessible = accessible;
    for (Allocation& allocation : regions().all()) {
      if (allocation.pool < 0 || world().pools.all()[static_cast<std::size_t>(allocation.pool)].get() != pool) continue;
      gpu::close(allocation, allocation.accessible & ~accessible);
      allocation.accessible = accessible;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return enter("cudaDeviceGetDefaultMemPool", Role::work, [&](Entry&) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!exists(device)) return cudaErrorInvalidDevice;
    if (!world().machine.pools) return cudaErrorNotSupported;
    *pool = world().pools.handle_of(*world().devices[device].standard_pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return enter("cudaDeviceGetMemPool", Role::work, [&](Entry&) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!exists(device)) return cudaErrorInvalidDevice;
    if (!world().machine.pools) return cudaErrorNotSupported;
    *pool = world().pools.handle_of(*world().devices[device].pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return enter("cudaDeviceSetMemPool", Role::work, [&](Entry&) {
    Pool* const pool = find_pool(handle);
    if (!exists(device)) return cudaErrorInvalidDevice;
    if (pool == nullptr || pool->device != device || pool->exporter != 0) return cudaErrorInvalidValue;
    world().devices[device].pool = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool_handle,
                                               cudaMemAllocationHandleType type, unsigned int flags) {
  return enter("cudaMemPoolExportToShareableHandle", Role::work, [&](Entry&) {
    Pool* const pool = find_pool(pool_handle);
    bool const can = pool != nullptr && pool->exportable && type == cudaMemHandleTypePosixFileDescriptor;
    if (handle == nullptr || !can || flags != 0) return cudaErrorInvalidValue;
    return exports::share(*static_cast<int*>(handle), *pool);
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle, cudaMemAllocationHandleType type,
                                                 unsigned int flags) {
  return enter("cudaMemPoolImportFromShareableHandle", Role::work, [&](Entry& entry) {
    if (pool == nullptr || type != cudaMemHandleTypePosixFileDescriptor || flags != 0) return cudaErrorInvalidValue;
    return exports::import(pool, static_cast<int>(reinterpret_cast<std::intptr_t>(handle)), entry.caller());
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* pointer) {
  return enter("cudaMemPoolExportPointer", Role::work,
               [&](Entry&) { return data == nullptr ? cudaErrorInvalidValue : exports::get(*data, pointer); });
}

cudaError_t cudaMemPoolImportPointer(void** pointer, cudaMemPool_t pool_handle, cudaMemPoolPtrExportData* data) {
  return enter("cudaMemPoolImportPointer", Role::work, [&](Entry& entry) {
    Pool const* const pool = find_pool(pool_handle);
    if (pointer == nullptr || pool == nullptr || pool->exporter == 0 || data == nullptr) return cudaErrorInvalidValue;
    return exports::open(pointer, *pool, *data, entry);
  });
}
