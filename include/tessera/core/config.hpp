// The version of tessera, as macros for the preprocessor and as an inline namespace for the linker: two major versions
// can live in one program.
#pragma once

#if !defined(__cpp_exceptions)
#error "tessera reports failures by exceptions: compile without -fno-exceptions"
#endif

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0

/// What both the host and a device call, where nvcc compiles.
#if defined(__CUDACC__)
#define TESSERA_HOST_DEVICE __host__ __device__
#else
#define TESSERA_HOST_DEVICE
#endif

namespace tessera { inline namespace v0 {

inline constexpr char const* version = "0.1.0";

namespace detail {

/// A product that is rounded before it is added to: nvcc would make one operation of both, of another result.
TESSERA_HOST_DEVICE inline double rounded_product(double a, double b) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

}  // namespace detail

}}  // namespace tessera::v0
