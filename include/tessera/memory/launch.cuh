// Kernels are function objects, launched from here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>
#include <tessera/core/cuda_check.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera::inline v0 {

namespace detail {

inline constexpr unsigned threads_per_block = 256;

#if defined(__CUDACC__)
template <class F>
__global__ void call_each(F f, std::uint64_t count) {
  std::uint64_t const step = std::uint64_t{gridDim.x} * blockDim.x;
  for (auto i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) f(i);
}
#elif defined(TESSERA_CUDA_EMULATION)
template <class F>
struct CallEach {
  F f;
  std::uint64_t count;
  static void run(void const* object, std::uint64_t block) {
    auto call = static_cast<CallEach const*>(object)->f;  // a copy for each block, as threads have one
    auto const end = static_cast<CallEach const*>(object)->count;
    for (auto i = block * threads_per_block; i < end && i < (block + 1) * threads_per_block; ++i) call(i);
  }
};
#endif

}  // namespace detail

/// Calls f(i) for each i below count on the device, in the queue's order, in any order among themselves. f is a
/// function object that is copied there bit by bit: what it points to is memory that the device reaches, and its
/// operator() is TESSERA_HOST_DEVICE. Throws: DeviceError.
template <class F>
void launch(Queue<space::Device>& on, std::uint64_t count, [[maybe_unused]] F const& f) {
  static_assert(std::is_trivially_copyable_v<F>,
                "tessera: a kernel's function object is copied to the device bit by bit: let it hold pointers and "
                "numbers only");
  if (count == 0) return;
  [[maybe_unused]] constexpr std::uint64_t most = std::numeric_limits<int>::max();  // of a grid's first dimension
  [[maybe_unused]] auto const blocks = (count - 1) / detail::threads_per_block + 1;
  detail::OnDevice const device{on.device()};
#if defined(__CUDACC__)
  detail::
      call_each<<<static_cast<unsigned>(blocks < most ? blocks : most), detail::threads_per_block, 0, on.stream()>>>(
          f, count);
  detail::check(::cudaGetLastError(), "a kernel launch");
#elif defined(TESSERA_CUDA_EMULATION)
  detail::CallEach<F> const call{f, count};
  detail::check(::emulatedLaunch(detail::CallEach<F>::run, &call, sizeof call, blocks, on.stream()), "a kernel launch");
#else
  static_assert(sizeof(F) == 0, "tessera: kernels are compiled by nvcc: launch from a .cu file");
#endif
}

}  // namespace tessera::inline v0
