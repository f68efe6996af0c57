// Work without a wait is late under some seeds, and under the same ones on each run.
#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "doctest/doctest.h"
#include "emulation/emulation.hpp"

namespace {

void succeeds(cudaError_t status) { REQUIRE(status == cudaSuccess); }

}  // namespace

TEST_CASE("emulation: without a wait the bytes are not there under some seed, and under the same on each run") {
  std::vector<bool> wrong;
  for (int run = 0; run < 2; ++run) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      emulation::seed(seed);
      cudaStream_t stream = nullptr;
      succeeds(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      void* device = nullptr;
      void* host = nullptr;
      succeeds(cudaMalloc(&device, 64));
      succeeds(cudaMallocHost(&host, 64));
      std::memset(host, 0, 64);
      succeeds(cudaMemsetAsync(device, 7, 64, stream));
      succeeds(cudaMemcpyAsync(host, device, 64, cudaMemcpyDeviceToHost, stream));
      wrong.push_back(*static_cast<unsigned char const*>(host) != 7);
      succeeds(cudaStreamSynchronize(stream));
      CHECK(*static_cast<unsigned char const*>(host) == 7);
      succeeds(cudaFree(device));
      succeeds(cudaFreeHost(host));
      succeeds(cudaStreamDestroy(stream));
    }
  }
  for (std::size_t seed = 0; seed < 16; ++seed) {
    CHECK(wrong[seed] == (seed % 2 == 1));
    CHECK(wrong[seed] == wrong[seed + 16]);
  }
}
