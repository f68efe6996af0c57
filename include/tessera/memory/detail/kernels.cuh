// Kernels of function objects: how nvcc and the emulation compile and start them, and what a function object needs.
#pragma once
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/core/config.hpp>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700  // __grid_constant__
#error "tessera: kernels need compute capability 7.0 (Volta) or newer: compile with -arch=sm_70 or above"
#endif

namespace tessera { inline namespace v0 {

// Hidden: two shared libraries with different versions of tessera each launch their own kernels. The attribute is on
// the namespace, because nvcc warns of a hidden template over a program's unnamed types.
namespace [[gnu::visibility("hidden")]] detail {

inline constexpr unsigned threads_per_block = 256;

/// A kernel of blocks that repeats its phases from F::repeated on.
template <class F>
concept KernelInRounds = (F::repeated < F::phases) && requires(F const& f, typename F::Shared const& shared) {
  { f.goes_on(std::uint64_t{}, shared) } -> std::same_as<bool>;
};

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
  // Returns the status of this launch: <<<>>> only sets the thread's last error, which may come from another call.
  return ::cudaLaunchKernel(call_each<F>, dim3(static_cast<unsigned>(blocks < most ? blocks : most)),
                            dim3(threads_per_block), arguments, 0, stream);
}

template <class F, unsigned First, unsigned... Phase>
__device__ void run_phases(F const& f, std::uint64_t block, typename F::Shared& shared,
                           std::integer_sequence<unsigned, Phase...>) {
  ((f.template phase<First + Phase>(block, threadIdx.x, shared), __syncthreads()), ...);
}
template <class F>
__device__ void run_block(F const& f, std::uint64_t block, typename F::Shared& shared) {
  if constexpr (KernelInRounds<F>) {
    run_phases<F, 0>(f, block, shared, std::make_integer_sequence<unsigned, F::repeated>{});
    do run_phases<F, F::repeated>(f, block, shared, std::make_integer_sequence<unsigned, F::phases - F::repeated>{});
    while (f.goes_on(block, shared));
    __syncthreads();  // the next block may run on the same threads and memory
  } else {
    run_phases<F, 0>(f, block, shared, std::make_integer_sequence<unsigned, F::phases>{});
  }
}
// Blocks per multiprocessor: more blocks leave fewer registers per thread.
template <class F>
constexpr unsigned blocks_together() {
  if constexpr (requires { F::together; })
    return F::together;
  else
    return 1;
}
// f stays in parameter memory: a copy of its tables would be in slow memory local to each thread.
template <class F>
__global__ void __launch_bounds__(F::threads, blocks_together<F>())
    call_blocks(__grid_constant__ F const f, std::uint64_t blocks) {
  __shared__ typename F::Shared shared;
  for (std::uint64_t block = blockIdx.x; block < blocks; block += gridDim.x) run_block(f, block, shared);
}
template <class F>
cudaError_t start_blocks(std::uint64_t blocks, F const& f, cudaStream_t stream) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  auto copy = f;
  void* arguments[] = {&copy, &blocks};
  return ::cudaLaunchKernel(call_blocks<F>, dim3(static_cast<unsigned>(blocks < most ? blocks : most)),
                            dim3(F::threads), arguments, 0, stream);
}
#elif defined(TESSERA_CUDA_EMULATION)
template <class F>
struct CallEach {
  F f;
  std::uint64_t count;
  static void run(void const* object, std::uint64_t block) {
    auto call = static_cast<CallEach const*>(object)->f;  // one copy per block, as each thread has one
    auto const end = static_cast<CallEach const*>(object)->count;
    for (auto i = block * threads_per_block; i < end && i < (block + 1) * threads_per_block; ++i) call(i);
  }
};
template <class F>
cudaError_t start(std::uint64_t blocks, F const& f, std::uint64_t count, cudaStream_t stream) {
  CallEach<F> const call{f, count};
  return ::emulatedLaunch(CallEach<F>::run, &call, sizeof call, blocks, stream);
}

template <class F, unsigned Phase>
void run_phase(F const& f, std::uint64_t block, typename F::Shared& shared) {
  for (unsigned i = 0; i < F::threads; ++i)  // the order must not matter
    f.template phase<Phase>(block, (block + Phase) % 2 == 0 ? i : F::threads - 1 - i, shared);
}
template <class F, unsigned First, unsigned... Phase>
void run_phases(F const& f, std::uint64_t block, typename F::Shared& shared,
                std::integer_sequence<unsigned, Phase...>) {
  (run_phase<F, First + Phase>(f, block, shared), ...);
}
template <class F>
void run_block(F const& f, std::uint64_t block, typename F::Shared& shared) {
  if constexpr (KernelInRounds<F>) {
    run_phases<F, 0>(f, block, shared, std::make_integer_sequence<unsigned, F::repeated>{});
    do run_phases<F, F::repeated>(f, block, shared, std::make_integer_sequence<unsigned, F::phases - F::repeated>{});
    while (f.goes_on(block, shared));
  } else {
    run_phases<F, 0>(f, block, shared, std::make_integer_sequence<unsigned, F::phases>{});
  }
}
template <class F>
void call_block(void const* object, std::uint64_t block) {
  typename F::Shared shared;
  std::memset(static_cast<void*>(&shared), 0xa5, sizeof shared);  // shared memory starts uninitialised
  run_block(*static_cast<F const*>(object), block, shared);
}
template <class F>
cudaError_t start_blocks(std::uint64_t blocks, F const& f, cudaStream_t stream) {
  return ::emulatedLaunch(call_block<F>, &f, sizeof f, blocks, stream);
}
#else
template <class F>
cudaError_t start(std::uint64_t blocks, F const& f, std::uint64_t count, cudaStream_t stream);
template <class F>
cudaError_t start_blocks(std::uint64_t blocks, F const& f, cudaStream_t stream);
#endif

}  // namespace detail

namespace detail {

/// Whether the kernels for T are in a library: set by tessera.cuh with TESSERA_SEPARATE_CUDA.
template <class T>
inline constexpr bool is_compiled = false;

/// Whether this compiler can, or need not, compile kernels. Checked once, before several launches.
template <class T>
consteval bool check_kernels() {
#if defined(__CUDACC__) || defined(TESSERA_CUDA_EMULATION)
  return true;
#else
  constexpr bool is_there = is_compiled<T>;
  static_assert(is_there,
                "tessera: only nvcc compiles kernels: launch from a .cu file; a source file that only reads and writes "
                "arrays can link tessera::compiled_cuda instead");
  return is_there;
#endif
}

template <class F>
concept KernelOfBlocks = std::is_trivially_copyable_v<F> && std::is_trivial_v<typename F::Shared> &&
                         (sizeof(typename F::Shared) <= 48 << 10) &&
                         (F::threads > 0) && (F::threads <= 1024) && (F::phases > 0) &&
                         requires(F const& f, typename F::Shared& shared) {
  f.template phase<0>(std::uint64_t{}, 0u, shared);
};

}  // namespace detail

}}  // namespace tessera::v0
