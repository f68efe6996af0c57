// The version of tessera, as macros and as an inline namespace: two major versions can link into one program.
#pragma once

#if !defined(__cpp_exceptions)
#error "tessera reports failures by exceptions: compile without -fno-exceptions"
#endif
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ < 8
#error "tessera needs a 64-bit machine: sizes in memory are std::size_t, and arrays are larger than 4 GiB"
#endif

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 2
#define TESSERA_VERSION_PATCH 0

/// Marks functions for the host and the device when nvcc compiles.
#if defined(__CUDACC__)
#define TESSERA_HOST_DEVICE __host__ __device__
#else
#define TESSERA_HOST_DEVICE
#endif

namespace tessera { inline namespace v0 {

/// "major.minor.patch"
inline constexpr char const* version = "0.2.0";

namespace detail {

/// A product that is rounded before anything is added to it: nvcc would fuse both into one operation with another
/// result.
TESSERA_HOST_DEVICE inline double rounded_product(double a, double b) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

}  // namespace detail

}}  // namespace tessera::v0

// TESSERA_DECL marks functions that depend on no type of the program. They are compiled in each unit that includes
// them, or, with TESSERA_SEPARATE, only in the one that includes <tessera/src.hpp>. TESSERA_SEPARATE_CUDA does the same
// for device transfers, in <tessera/src.cuh>: docs/building.md.
#if defined(TESSERA_SEPARATE)
#define TESSERA_DECL
#else
#define TESSERA_DECL inline
#endif
#if defined(TESSERA_SEPARATE_CUDA) && !defined(TESSERA_SEPARATE)
#error "tessera: TESSERA_SEPARATE_CUDA requires TESSERA_SEPARATE: define both"
#endif
