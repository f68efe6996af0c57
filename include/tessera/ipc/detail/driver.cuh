// uuid_of, range_of, pool_of: what the CUDA driver knows of devices and allocations, and the runtime does not tell.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

template <class F>
F driver_function(char const* name) {
  void* found = nullptr;
  auto result = cudaDriverEntryPointSymbolNotFound;
  tessera::detail::check(::cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result),
                         "cudaGetDriverEntryPointByVersion");
  if (!found) throw DeviceError{to_text({"the CUDA driver has no ", name})};
  return reinterpret_cast<F>(found);
}

/// UUID of a GPU, or of a part of one (MIG), as nvidia-smi writes it. All processes agree on it, but may number devices
/// differently.
inline std::string uuid_of(int ordinal) {
  using tessera::detail::Context;
  int device = 0;
  char bytes[16]{};
  Context::check_driver(driver_function<int (*)(int*, int)>("cuDeviceGet")(&device, ordinal), "cuDeviceGet");
  Context::check_driver(driver_function<int (*)(char*, int)>("cuDeviceGetUuid")(bytes, device), "cuDeviceGetUuid");
  std::string uuid = "GPU-";
  for (std::size_t i = 0; i < sizeof bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    auto const byte = static_cast<unsigned char>(bytes[i]);
    uuid.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
  }
  return uuid;
}

/// The allocation that contains an address.
struct AddressRange {
  std::byte* begin;
  std::size_t size;
};
inline AddressRange range_of(void const* address) {
  std::uint64_t begin = 0;
  std::size_t size = 0;
  auto const ask = driver_function<int (*)(std::uint64_t*, std::size_t*, std::uint64_t)>("cuMemGetAddressRange");
  tessera::detail::Context::check_driver(ask(&begin, &size, reinterpret_cast<std::uintptr_t>(address)),
                                         "cuMemGetAddressRange");
  return {reinterpret_cast<std::byte*>(begin), size};
}

/// The pool that the memory at an address is from; null: none.
inline cudaMemPool_t pool_of(void const* address) {
  constexpr int mempool_handle = 17;  // CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
  cudaMemPool_t pool = nullptr;
  auto const ask = driver_function<int (*)(void*, int, std::uint64_t)>("cuPointerGetAttribute");
  tessera::detail::Context::check_driver(ask(&pool, mempool_handle, reinterpret_cast<std::uintptr_t>(address)),
                                         "cuPointerGetAttribute");
  return pool;
}

}}}}  // namespace tessera::v0::ipc::detail
