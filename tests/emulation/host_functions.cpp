// Host functions may wait for anything: a call of the program waits for them only if it must.
#include <atomic>
#include <thread>

#include "doctest/doctest.h"
#include "emulation/emulation.hpp"

TEST_CASE("emulation: a host function waits for what the thread does that launched it, under every seed") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    emulation::seed(seed);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    std::atomic<bool> open{false};
    auto const wait = [](void* gate) {
      while (!*static_cast<std::atomic<bool>*>(gate)) std::this_thread::yield();
    };
    CHECK(cudaLaunchHostFunc(stream, wait, &open) == cudaSuccess);
    for (int poll = 0; poll < 5; ++poll) CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    open = true;
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  }
}

TEST_CASE("emulation: a host function that calls the runtime is refused") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  cudaError_t answer = cudaSuccess;
  auto const ask = [](void* to) {
    void* memory = nullptr;
    *static_cast<cudaError_t*>(to) = cudaMalloc(&memory, 10);
  };
  CHECK(cudaLaunchHostFunc(stream, ask, &answer) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(answer == cudaErrorNotPermitted);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
