// Calls are recorded with their sites, and are left out there.
#include "doctest/doctest.h"
#include "emulation/emulation.hpp"

namespace {

// Volatile: a call that is a function's last would return past it.
[[gnu::noinline]] cudaError_t wait_here(cudaStream_t stream) {
  cudaError_t volatile status = cudaStreamSynchronize(stream);
  return status;
}

// Another call, otherwise the two would be one function.
[[gnu::noinline]] cudaError_t wait_there() {
  cudaError_t volatile status = cudaDeviceSynchronize();
  return status;
}

}  // namespace

TEST_CASE("emulation: a wait is left out where it was recorded, and nowhere else") {
  emulation::seed(1);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  void* host = nullptr;
  REQUIRE(cudaMallocHost(&host, 4) == cudaSuccess);
  auto const value = [&] { return *static_cast<unsigned char volatile*>(host); };

  std::vector<void*> site;
  {
    emulation::Watch const watch;
    emulation::record_sites(true);
    CHECK(wait_here(stream) == cudaSuccess);
    emulation::record_sites(false);
    CHECK(wait_here(stream) == cudaSuccess);
    REQUIRE(watch.calls().size() == 2);
    site = watch.calls()[0].site;
    CHECK(watch.calls()[1].site.empty());
  }
  REQUIRE(site.size() > 1);
  site.resize(1);

  emulation::leave_out_sites({&site, 1});
  CHECK(cudaMemsetAsync(host, 5, 4, stream) == cudaSuccess);
  CHECK(wait_here(stream) == cudaSuccess);
  CHECK(value() != 5);
  CHECK(wait_there() == cudaSuccess);
  CHECK(value() == 5);

  emulation::leave_out_sites({});
  CHECK(cudaMemsetAsync(host, 6, 4, stream) == cudaSuccess);
  CHECK(wait_here(stream) == cudaSuccess);
  CHECK(value() == 6);
  CHECK(cudaFreeHost(host) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("emulation: the k-th ordering call is left out, once") {
  emulation::seed(1);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  void* host = nullptr;
  REQUIRE(cudaMallocHost(&host, 4) == cudaSuccess);
  auto const value = [&] { return *static_cast<unsigned char volatile*>(host); };

  emulation::leave_out(1);
  CHECK(cudaMemsetAsync(host, 5, 4, stream) == cudaSuccess);  // orders nothing, and is not counted
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(value() == 5);
  CHECK(emulation::left_out_call().empty());
  CHECK(cudaMemsetAsync(host, 6, 4, stream) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(value() == 5);
  CHECK(emulation::left_out_call() == "cudaDeviceSynchronize");
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(value() == 6);

  emulation::leave_out(0);
  CHECK(emulation::left_out_call().empty());
  emulation::leave_out_nothing();
  CHECK(cudaMemsetAsync(host, 7, 4, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(value() == 7);
  CHECK(emulation::left_out_call().empty());
  CHECK(cudaFreeHost(host) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
