// The emulated runtime at its simplest: bytes go there and back.
#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "doctest/doctest.h"
#include "emulation/emulation.hpp"

namespace {

struct TimesTen {
  int* values;
  void operator()(std::uint64_t i) const { values[i] *= 10; }
  static void run(void const* function, std::uint64_t i) { (*static_cast<TimesTen const*>(function))(i); }
};

void ok(cudaError_t status) { REQUIRE(status == cudaSuccess); }

}  // namespace

TEST_CASE("emulation: bytes go to the device and come back, under every seed") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    emulation::seed(seed);
    cudaStream_t stream = nullptr;
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::vector<int> const in{1, 2, 3, 4};
    void* device = nullptr;
    ok(cudaMallocAsync(&device, 16, stream));
    ok(cudaMemcpyAsync(device, in.data(), 16, cudaMemcpyHostToDevice, stream));
    TimesTen const kernel{static_cast<int*>(device)};
    ok(emulatedLaunch(TimesTen::run, &kernel, sizeof kernel, 4, stream));
    void* out = nullptr;
    ok(cudaMallocHost(&out, 16));
    ok(cudaMemcpyAsync(out, device, 16, cudaMemcpyDeviceToHost, stream));
    ok(cudaFreeAsync(device, stream));
    ok(cudaStreamSynchronize(stream));
    std::vector<int> const expected{10, 20, 30, 40};
    CHECK(std::memcmp(out, expected.data(), 16) == 0);
    ok(cudaFreeHost(out));
    ok(cudaStreamDestroy(stream));
  }
  CHECK(emulation::alive().allocations == 0);
  CHECK(emulation::alive().streams == 0);
}
