// The CUDA runtime's answers as exceptions.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

#if CUDART_VERSION < 12080
#error "tessera needs CUDA 12.8 or newer"
#endif

namespace tessera { inline namespace v0 {
namespace detail {

inline std::string described(cudaError_t status, char const* call) {
  return text({call, ": ", ::cudaGetErrorString(status), " (", ::cudaGetErrorName(status), ")"});
}

/// The description of a failed call. It clears the runtime's last error, so that a program that asks for it later does
/// not find one that was thrown. (An error that ended the device's work for good stays.)
[[gnu::noinline]] inline std::string cuda_failure(cudaError_t status, char const* call) {
  static_cast<void>(::cudaGetLastError());
  return described(status, call);
}

/// Throws: DeviceError, which names the call.
inline void check(cudaError_t status, char const* call) {
  if (status != cudaSuccess) throw DeviceError{cuda_failure(status, call)};
}

/// For destructors of objects that may outlive the device's context or the runtime itself: whether the call succeeded.
inline bool succeeds(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(::cudaGetLastError());
  return status == cudaSuccess;
}

}  // namespace detail
}}  // namespace tessera::v0
