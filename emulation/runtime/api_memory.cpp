// Allocating and freeing memory, and attributes of a pointer.
#include "allocation.hpp"
#include "entry.hpp"
#include "exports.hpp"
#include "managed.hpp"
#include "scheduler.hpp"
#include "transfer.hpp"

using namespace emulation;

namespace {

/// Memory that exists when the call returns.
cudaError_t allocate_now(Entry& entry, void** pointer, Kind kind, std::size_t size, bool attached_to_host = false) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  entry.tell_bytes(size);
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  Allocation* const made = allocate(entry, kind, current_device(), size);
  if (made == nullptr) return cudaErrorMemoryAllocation;
  regions().begin(*made);
  managed::begun(*made, attached_to_host);
  *pointer = made->begin;
  return cudaSuccess;
}

/// cudaFree waits for the device; it assumes that memory of a pool is unused.
cudaError_t free_now(Entry const& entry, void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  Allocation* const found = find_to_free(entry, pointer, false);
  if (found == nullptr) return cudaErrorInvalidValue;
  if (found->pool < 0) {
    scheduler::await_all(found->device);
  } else if (found->state == State::reserved && world().devices[found->device].error == cudaSuccess) {
    check_access(entry.name(), entry.caller(), pointer, found->size);
  }
  {
    sanitizer::Seen const again;
    sanitizer::writes(pointer, found->size);
  }
  release(*found);
  return cudaSuccess;
}

cudaError_t allocate_in_order(Entry& entry, void** pointer, std::size_t size, Pool* pool, Stream& stream) {
  entry.tell_bytes(size);
  entry.tell_stream(stream);
  if (pointer == nullptr || size == 0) return cudaErrorInvalidValue;
  *pointer = nullptr;
  Allocation* const made = allocate(entry, Kind::device, pool->device, size, pool);
  if (made == nullptr) return cudaErrorMemoryAllocation;
  *pointer = made->begin;
  Operation operation;
  operation.caller = entry.caller();
  operation.prepare = [made] { sanitizer::writes(made->begin, made->size); };
  operation.run = [made] {
    regions().begin(*made);
    exports::begun(*made);
  };
  scheduler::enqueue(stream, std::move(operation));
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t size) {
  return enter("cudaMalloc", Role::work,
               [&](Entry& entry) { return allocate_now(entry, pointer, Kind::device, size); });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t size) {
  return enter("cudaMallocHost", Role::work,
               [&](Entry& entry) { return allocate_now(entry, pointer, Kind::page_locked, size); });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size, unsigned int flags) {
  return enter("cudaHostAlloc", Role::work, [&](Entry& entry) {
    if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) {
      return cudaErrorInvalidValue;
    }
    return allocate_now(entry, pointer, Kind::page_locked, size);
  });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t size, unsigned int flags) {
  return enter("cudaMallocManaged", Role::work, [&](Entry& entry) {
    if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return cudaErrorInvalidValue;
    return allocate_now(entry, pointer, Kind::managed, size, flags == cudaMemAttachHost);
  });
}

cudaError_t cudaFree(void* pointer) {
  return enter("cudaFree", Role::release, [&](Entry& entry) { return free_now(entry, pointer); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return enter("cudaFreeHost", Role::release, [&](Entry& entry) {
    if (pointer == nullptr) return cudaSuccess;
    Allocation* const found = find_to_free(entry, pointer, true);
    if (found == nullptr) return cudaErrorInvalidValue;
    check_unused(entry, found->begin, found->size);
    {
      sanitizer::Seen const again;
      sanitizer::writes(pointer, found->size);
    }
    release(*found);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t size, cudaStream_t handle) {
  return enter("cudaMallocAsync", Role::work, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (!world().machine.pools) return cudaErrorNotSupported;
    return allocate_in_order(entry, pointer, size, world().devices[stream->device].pool, *stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size, cudaMemPool_t pool_handle, cudaStream_t handle) {
  return enter("cudaMallocFromPoolAsync", Role::work, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    Pool* const pool = world().pools.find(pool_handle);
    if (pool == nullptr || pool->destroyed || pool->exporter != 0) return cudaErrorInvalidValue;
    return allocate_in_order(entry, pointer, size, pool, *stream);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return enter("cudaFreeAsync", Role::release, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (!world().machine.pools) return cudaErrorNotSupported;
    if (pointer == nullptr) return cudaErrorInvalidValue;
    Allocation* const found = find_to_free(entry, pointer, false);
    if (found == nullptr) return cudaErrorInvalidValue;
    if (stream == nullptr || world().devices[stream->device].error != cudaSuccess) {  // nothing queued will run
      if (stream == nullptr && world().devices[found->device].error == cudaSuccess) {
        found->freed_at = nullptr;
        return cudaErrorInvalidResourceHandle;
      }
      release(*found);
      return cudaSuccess;
    }
    found->free_asked = true;
    entry.tell_stream(*stream);
    Operation operation;
    operation.caller = entry.caller();
    operation.prepare = [found] { sanitizer::writes(found->begin, found->size); };
    operation.run = [found, name = entry.name(), caller = entry.caller()] {
      if (!found->imported) check_access(name, caller, found->begin, found->size);
      release(*found);
    };
    scheduler::enqueue(*stream, std::move(operation));
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t size, unsigned int flags) {
  return enter("cudaHostRegister", Role::work, [&](Entry& entry) {
    entry.tell_bytes(size);
    if (pointer == nullptr || size == 0 || flags > 15) return cudaErrorInvalidValue;
    auto const* const begin = static_cast<std::byte const*>(pointer);
    auto& registered = world().registered;
    auto const next = registered.lower_bound(begin);
    bool const overlaps = (next != registered.end() && next->first < begin + size) ||
                          place_of(begin) != Place::pageable || place_of(begin + size - 1) != Place::pageable;
    if (overlaps) return cudaErrorHostMemoryAlreadyRegistered;
    if (size > world().machine.page_locked - world().page_locked) return cudaErrorMemoryAllocation;
    world().page_locked += size;
    registered.emplace(begin, size);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return enter("cudaHostUnregister", Role::release, [&](Entry& entry) {
    auto const found = world().registered.find(static_cast<std::byte const*>(pointer));
    if (found == world().registered.end()) return cudaErrorHostMemoryNotRegistered;
    check_unused(entry, found->first, found->second);
    {
      sanitizer::Seen const again;
      sanitizer::reads(pointer, found->second);  // not a write: the program may still use it
    }
    world().page_locked -= found->second;
    world().registered.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return enter("cudaHostGetDevicePointer", Role::work, [&](Entry&) {
    if (device == nullptr || flags != 0 || place_of(host) != Place::page_locked) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return enter("cudaMemGetInfo", Role::work, [&](Entry&) {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = world().machine.memory;
    *free = *total - world().devices[current_device()].used;
    for (auto const& pool : world().pools.all()) {  // memory kept by pools is not free
      auto const kept = pool->reserved > pool->used ? pool->reserved - pool->used : 0;
      if (pool->device == current_device()) *free -= std::min<std::size_t>(*free, kept);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* pointer) {
  return enter("cudaPointerGetAttributes", Role::work, [&](Entry&) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(pointer);
    Allocation const* const found = regions().find_allocation(pointer);
    if (found != nullptr && (found->state == State::live || found->state == State::reserved)) {
      bool const device = found->kind == Kind::device;
      attributes->type = device                         ? cudaMemoryTypeDevice
                         : found->kind == Kind::managed ? cudaMemoryTypeManaged
                                                        : cudaMemoryTypeHost;
      attributes->device = found->device;
      attributes->devicePointer = const_cast<void*>(pointer);
      if (device) attributes->hostPointer = nullptr;
    } else if (place_of(pointer) == Place::page_locked && found == nullptr) {
      attributes->type = cudaMemoryTypeHost;
      attributes->device = current_device();
      attributes->devicePointer = const_cast<void*>(pointer);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchAsync(void const* pointer, std::size_t size, cudaMemLocation location, unsigned int flags,
                                 cudaStream_t handle) {
  return enter("cudaMemPrefetchAsync", Role::work, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    entry.tell_bytes(size);
    entry.tell_stream(*stream);
    bool const known =
        location.type == cudaMemLocationTypeHost ||
        (location.type == cudaMemLocationTypeDevice && location.id >= 0 && location.id < world().machine.devices);
    if (size == 0 || flags != 0 || !known || place_of(pointer) != Place::managed) return cudaErrorInvalidValue;
    check_named(entry.name(), entry.caller(), pointer, size);
    scheduler::enqueue(*stream, {});
    return cudaSuccess;
  });
}
