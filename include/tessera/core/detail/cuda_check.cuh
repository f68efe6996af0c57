// Errors of the CUDA runtime as exceptions.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

#if CUDART_VERSION < 12080
#error "tessera needs CUDA 12.8 or newer"
#endif

namespace tessera { inline namespace v0 {
namespace detail {

inline std::string described(cudaError_t status, char const* call) {
  return to_text({call, ": ", ::cudaGetErrorString(status), " (", ::cudaGetErrorName(status), ")"});
}

/// Describes a failed call. Clears the runtime's last error, so that the program does not find one that was thrown. (A
/// sticky error remains.)
[[gnu::noinline]] inline std::string cuda_failure(cudaError_t status, char const* call) {
  static_cast<void>(::cudaGetLastError());
  return described(status, call);
}

/// Throws: DeviceError naming the call, if it failed.
inline void check(cudaError_t status, char const* call) {
  if (status != cudaSuccess) throw DeviceError{cuda_failure(status, call)};
}

/// Whether the call succeeded. For destructors of objects that may outlive the device's context or the runtime.
inline bool succeeds(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(::cudaGetLastError());
  return status == cudaSuccess;
}

}  // namespace detail
}}  // namespace tessera::v0
