// A device has no memory pools (some virtual GPUs), and the program relies on them.
#include <emulation/emulation.hpp>

#include "mistake.hpp"

namespace wrong {
namespace {

char const* const not_supported = "cudaErrorNotSupported";

bool has_pools() {
  int value = 0;
  good(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolsSupported, 0));
  return value != 0;
}

bool allocated(bool cured) {
  emulation::set({.pools = false});
  Stream stream;
  void* there = nullptr;
  if (!cured || has_pools()) {
    good(cudaMallocAsync(&there, 100, stream));
    good(cudaFreeAsync(there, stream));
  } else {
    good(cudaMalloc(&there, 100));
    good(cudaFree(there));
  }
  return true;
}
Mistake const of_allocated{"without_pools: memory is allocated in a stream's order", Caught::always, not_supported,
                           allocated};

bool freed(bool cured) {
  emulation::set({.pools = false});
  Stream stream;
  void* there = nullptr;
  good(cudaMalloc(&there, 100));
  good(cudaMemsetAsync(there, 0, 100, stream));
  good(cured ? cudaFree(there) : cudaFreeAsync(there, stream));
  stream.wait();
  return true;
}
Mistake const of_freed{"without_pools: memory of cudaMalloc is freed in a stream's order", Caught::always,
                       not_supported, freed};

bool threshold(bool cured) {
  emulation::set({.pools = false});
  if (cured && !has_pools()) return true;
  cudaMemPool_t pool = nullptr;
  good(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t all = ~std::uint64_t{0};
  good(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  return true;
}
Mistake const of_threshold{"without_pools: the device's pool is told what to keep", Caught::always, not_supported,
                           threshold};

bool own_pool(bool cured) {
  emulation::set({.pools = false});
  if (cured && !has_pools()) return true;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool = nullptr;
  good(cudaMemPoolCreate(&pool, &properties));
  good(cudaMemPoolDestroy(pool));
  return true;
}
Mistake const of_own_pool{"without_pools: a pool is made", Caught::always, not_supported, own_pool};

}  // namespace
}  // namespace wrong
