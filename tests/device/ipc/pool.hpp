// A stream-ordered pool of the program's own, which is a memory resource, too.
#pragma once
#include <cstddef>

#include <cuda_runtime_api.h>

#include <doctest/doctest.h>

namespace test {

class Pool {
 public:
  /// `exported`: how other processes may open it.
  explicit Pool(cudaMemAllocationHandleType exported) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned, properties.handleTypes = exported;
    properties.location = {cudaMemLocationTypeDevice, 0};
    REQUIRE(cudaMemPoolCreate(&handle_, &properties) == cudaSuccess);
  }
  Pool(Pool const&) = delete;
  Pool& operator=(Pool const&) = delete;
  ~Pool() { cudaMemPoolDestroy(handle_); }

  cudaMemPool_t get() const { return handle_; }
  void* allocate(cudaStream_t stream, std::size_t size, std::size_t) const {
    void* data = nullptr;
    REQUIRE(cudaMallocFromPoolAsync(&data, size, handle_, stream) == cudaSuccess);
    return data;
  }
  void deallocate(cudaStream_t stream, void* data, std::size_t, std::size_t) const noexcept {
    cudaFreeAsync(data, stream);
  }

 private:
  cudaMemPool_t handle_ = nullptr;
};

}  // namespace test
