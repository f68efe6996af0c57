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
template <class F>
cudaError_t start(std::uint64_t blocks, F const& f, std::uint64_t count, cudaStream_t stream) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();  // of a grid's first dimension
  auto copy = f;
  void* arguments[] = {&copy, &count};
  // Its own status: that of <<<>>> is the thread's last error, which may be another's.
  return ::cudaLaunchKernel(call_each<F>, dim3(static_cast<unsigned>(blocks < most ? blocks : most)),
                            dim3(threads_per_block), arguments, 0, stream);
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
template <class F>
cudaError_t start(std::uint64_t blocks, F const& f, std::uint64_t count, cudaStream_t stream) {
  CallEach<F> const call{f, count};
  return ::emulatedLaunch(CallEach<F>::run, &call, sizeof call, blocks, stream);
}
#else
template <class F>
cudaError_t start(std::uint64_t, F const&, std::uint64_t, cudaStream_t) {
  static_assert(sizeof(F) == 0, "tessera: kernels are compiled by nvcc: launch from a .cu file");
  return cudaErrorNotSupported;
}
#endif

}  // namespace detail

/// Calls f(i) for each i below count on the device, in the queue's order, in any order among themselves. f is a
/// function object that is copied there bit by bit: what it points to is memory that the device reaches, and its
/// operator() is TESSERA_HOST_DEVICE. Throws: DeviceError.
template <class F>
void launch(Queue<space::Device>& on, std::uint64_t count, F const& f) {
  constexpr bool is_copied_by_bits = std::is_trivially_copyable_v<F>;
  static_assert(is_copied_by_bits,
                "tessera: a kernel's function object is copied to the device bit by bit: let it hold pointers and "
                "numbers only");
  if constexpr (is_copied_by_bits) {
    if (count == 0) return;
    detail::OnDevice const device{on.device()};
    auto const blocks = (count - 1) / detail::threads_per_block + 1;
    detail::check(detail::start(blocks, f, count, on.stream()), "a kernel launch");
  }
}

}  // namespace tessera::inline v0
