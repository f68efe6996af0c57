// Driver functions that the runtime's interface lacks: attributes of a device and of an allocation.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emulation::driver {

int device_get(int* device, int ordinal);
int device_uuid(char* uuid, int device);
int pointer_attribute(void* value, int attribute, std::uint64_t pointer);
int address_range(std::uint64_t* base, std::size_t* size, std::uint64_t pointer);

}  // namespace emulation::driver
