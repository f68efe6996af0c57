// Function objects that run on the device, and functions that launch them.
#pragma once
#include <cstdint>
#include <type_traits>

#include <emulation/owned.hpp>
#include <tessera/core/config.hpp>

namespace test {

#if defined(__CUDACC__)
template <class F>
__global__ void each(F f, std::size_t count) {
  auto const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) f(i);
}
#endif

/// Runs f(i) for each i < count in the stream's order, as the runtime itself would: it leaves the current device alone.
template <class F>
void launch(cudaStream_t stream, std::size_t count, F const& f) {
  static_assert(std::is_trivially_copyable_v<F>);
#if defined(__CUDACC__)
  if (count != 0) each<<<static_cast<unsigned>((count + 127) / 128), 128, 0, stream>>>(f, count);
  good(cudaGetLastError());
#else
  auto const run = [](void const* function, std::uint64_t i) { (*static_cast<F const*>(function))(i); };
  good(emulatedLaunch(run, &f, sizeof f, count, stream));
#endif
}

/// Puts `value` at `to`.
struct Store {
  int* to;
  int value;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const { to[i] = value; }
};

}  // namespace test
