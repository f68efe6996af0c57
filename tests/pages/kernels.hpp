// Kernels of a page's program on the emulated runtime. run.py writes `kernel<<<grid, block, 0, stream>>>(arguments)` as
// `emulated::Grid{grid, block, 0, stream}(kernel, arguments)`: a call for each thread, one after the other, without
// shared memory and barriers. atomicAdd is for such calls alone.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include <cuda_runtime_api.h>

#if defined(PAGE_HAS_CCCL)  // which names the toolkit's vectors
#include <vector_types.h>
#undef __host__
#undef __device__
#undef __global__
#define __host__
#define __device__
#define __global__
#else
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
#endif
inline dim3 gridDim, blockDim, blockIdx, threadIdx;

template <class T>
T atomicAdd(T* to, T value) {
  T const old = *to;
  *to = static_cast<T>(old + value);
  return old;
}

namespace emulated {

inline dim3 as_dim3(dim3 three) { return three; }
template <std::integral T>
dim3 as_dim3(T one) {
  return {static_cast<unsigned>(one), 1, 1};
}

template <class... P>
struct Call {
  void (*kernel)(P...);
  std::tuple<P...> arguments;
  dim3 grid, block;

  static void run(void const* object, std::uint64_t number) {
    Call const& call = *static_cast<Call const*>(object);
    gridDim = call.grid, blockDim = call.block;
    auto const at = static_cast<unsigned>(number);
    blockIdx = {at % gridDim.x, at / gridDim.x % gridDim.y, at / gridDim.x / gridDim.y};
    for (threadIdx.z = 0; threadIdx.z < blockDim.z; ++threadIdx.z)
      for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) std::apply(call.kernel, call.arguments);
  }
};

template <class Blocks, class Threads>
struct Grid {
  Blocks grid;
  Threads block;
  std::size_t shared;
  cudaStream_t stream;

  template <class... P, class... Given>
  void operator()(void (*kernel)(P...), Given const&... given) const {
    Call<P...> const call{kernel, {static_cast<P>(given)...}, as_dim3(grid), as_dim3(block)};
    auto const blocks = std::uint64_t{call.grid.x} * call.grid.y * call.grid.z;
    auto const status = emulatedLaunch(Call<P...>::run, &call, sizeof call, blocks, stream);
    if (status != cudaSuccess) std::printf("the launch failed: %s\n", cudaGetErrorName(status)), std::exit(1);
  }
};
template <class Blocks, class Threads>
Grid(Blocks, Threads, int, cudaStream_t) -> Grid<Blocks, Threads>;

}  // namespace emulated
