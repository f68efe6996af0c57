#include "driver.hpp"

#include <cstring>

#include "entry.hpp"

namespace emulation::driver {

int device_get(int* device, int ordinal) {
  return enter("cuDeviceGet", Role::driver, [&](Entry&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    if (ordinal < 0 || ordinal >= world().machine.devices) return cudaErrorInvalidDevice;
    *device = ordinal;
    return cudaSuccess;
  });
}

/// The same in all processes, as on a GPU.
int device_uuid(char* uuid, int device) {
  return enter("cuDeviceGetUuid", Role::driver, [&](Entry&) {
    if (uuid == nullptr) return cudaErrorInvalidValue;
    if (device < 0 || device >= world().machine.devices) return cudaErrorInvalidDevice;
    std::memcpy(uuid, "emulated GPU   0", 16);
    uuid[15] = static_cast<char>('0' + device);
    return cudaSuccess;
  });
}

int address_range(std::uint64_t* base, std::size_t* size, std::uint64_t pointer) {
  return enter("cuMemGetAddressRange", Role::driver, [&](Entry&) {
    auto const* const address = reinterpret_cast<std::byte const*>(pointer);
    Allocation const* const found = regions().find_allocation(address);
    bool const is_there = found != nullptr && (found->state == State::live || found->state == State::reserved) &&
                          address >= found->begin && address < found->end();
    if (base == nullptr || size == nullptr || !is_there) return cudaErrorInvalidValue;
    *base = reinterpret_cast<std::uintptr_t>(found->begin);
    *size = found->size;
    return cudaSuccess;
  });
}

/// The pool of memory allocated without one.
int pointer_attribute(void* value, int attribute, std::uint64_t pointer) {
  return enter("cuPointerGetAttribute", Role::driver, [&](Entry&) {
    constexpr int mempool_handle = 17;
    Allocation const* const found = regions().find_allocation(reinterpret_cast<void const*>(pointer));
    bool const is_there = found != nullptr && (found->state == State::live || found->state == State::reserved);
    if (value == nullptr || attribute != mempool_handle || !is_there) return cudaErrorInvalidValue;
    *static_cast<cudaMemPool_t*>(value) =
        found->pool < 0 ? nullptr : world().pools.handle(static_cast<std::size_t>(found->pool));
    return cudaSuccess;
  });
}

}  // namespace emulation::driver
