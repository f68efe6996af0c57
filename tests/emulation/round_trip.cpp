// The emulated runtime at its simplest: bytes go there and back, and come when they are waited for.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "doctest/doctest.h"
#include "emulation/emulation.hpp"

namespace {

void ok(cudaError_t status) { REQUIRE(status == cudaSuccess); }

template <class F>
void launch(cudaStream_t stream, std::uint64_t count, F const& f) {
  static_assert(std::is_trivially_copyable_v<F>);
  ok(emulatedLaunch([](void const* function, std::uint64_t i) { (*static_cast<F const*>(function))(i); }, &f, sizeof f,
                    count, stream));
}

struct Stream {
  Stream() { ok(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~Stream() { CHECK(cudaStreamDestroy(handle) == cudaSuccess); }
  cudaStream_t handle = nullptr;
};

}  // namespace

TEST_CASE("emulation: bytes go to the device and come back, under every seed") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    emulation::seed(seed);
    Stream const stream;
    std::vector<int> const in{1, 2, 3, 4};
    void* device = nullptr;
    ok(cudaMallocAsync(&device, 16, stream.handle));
    ok(cudaMemcpyAsync(device, in.data(), 16, cudaMemcpyHostToDevice, stream.handle));
    launch(stream.handle, 4, [p = static_cast<int*>(device)](std::uint64_t i) { p[i] *= 10; });
    void* out = nullptr;
    ok(cudaMallocHost(&out, 16));
    ok(cudaMemcpyAsync(out, device, 16, cudaMemcpyDeviceToHost, stream.handle));
    ok(cudaFreeAsync(device, stream.handle));
    ok(cudaStreamSynchronize(stream.handle));
    std::vector<int> const expected{10, 20, 30, 40};
    CHECK(std::memcmp(out, expected.data(), 16) == 0);
    ok(cudaFreeHost(out));
  }
  CHECK(emulation::alive().allocations == 0);
  CHECK(emulation::alive().streams == 0);
}

TEST_CASE("emulation: without a wait the bytes are not there under some seed, and under the same on each run") {
  std::vector<bool> wrong;
  for (int run = 0; run < 2; ++run) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      emulation::seed(seed);
      Stream const stream;
      void* device = nullptr;
      void* host = nullptr;
      ok(cudaMalloc(&device, 64));
      ok(cudaMallocHost(&host, 64));
      std::memset(host, 0, 64);
      ok(cudaMemsetAsync(device, 7, 64, stream.handle));
      ok(cudaMemcpyAsync(host, device, 64, cudaMemcpyDeviceToHost, stream.handle));
      wrong.push_back(*static_cast<unsigned char const*>(host) != 7);
      ok(cudaStreamSynchronize(stream.handle));
      CHECK(*static_cast<unsigned char const*>(host) == 7);
      ok(cudaFree(device));
      ok(cudaFreeHost(host));
    }
  }
  for (std::size_t seed = 0; seed < 16; ++seed) {
    CHECK(wrong[seed] == (seed % 2 == 1));
    CHECK(wrong[seed] == wrong[seed + 16]);
  }
}
