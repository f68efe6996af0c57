// When the emulation says that a program has a context on a device.
#include <thread>

#include <doctest/doctest.h>

#include <emulation/emulation.hpp>
#include <emulation/owned.hpp>

void test::good(cudaError_t status) { REQUIRE(status == cudaSuccess); }

using test::good;

namespace {

struct TwoDevices {
  TwoDevices() { emulation::set({.devices = 2}); }
  TwoDevices(TwoDevices const&) = delete;
  TwoDevices& operator=(TwoDevices const&) = delete;
  ~TwoDevices() { emulation::set({}); }
};

}  // namespace

TEST_CASE("what asks for nothing makes no context") {
  TwoDevices const machine;
  int value = 0;
  good(cudaGetDeviceCount(&value));
  good(cudaGetDevice(&value));
  good(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 1));
  CHECK_FALSE(emulation::has_context(0));
  CHECK_FALSE(emulation::has_context(1));
}

TEST_CASE("to set a device makes its context, and so does a call in a thread that has none") {
  TwoDevices const machine;
  good(cudaSetDevice(1));
  test::Stream const stream;
  CHECK(emulation::has_context(1));
  CHECK_FALSE(emulation::has_context(0));
  std::thread([&] { good(cudaStreamSynchronize(stream)); }).join();  // of the second device, where the first is current
  CHECK(emulation::has_context(0));
}

TEST_CASE("a context that is pushed is the one that calls work in, until it is popped") {
  TwoDevices const machine;
  good(cudaSetDevice(1));
  test::Stream const stream;
  std::thread([&] {
    auto const function = [](char const* name, auto type) {
      void* found = nullptr;
      good(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault));
      return reinterpret_cast<decltype(type)>(found);
    };
    auto* const of = function("cuStreamGetCtx", static_cast<int (*)(cudaStream_t, void**)>(nullptr));
    auto* const push = function("cuCtxPushCurrent", static_cast<int (*)(void*)>(nullptr));
    auto* const pop = function("cuCtxPopCurrent", static_cast<int (*)(void**)>(nullptr));
    void *context = nullptr, *popped = nullptr;
    int device = -1;
    CHECK(of(stream, &context) == cudaSuccess);
    CHECK(push(context) == cudaSuccess);
    good(cudaGetDevice(&device));
    CHECK(device == 1);
    good(cudaStreamSynchronize(stream));
    CHECK(pop(&popped) == cudaSuccess);
    CHECK(popped == context);
    good(cudaGetDevice(&device));
    CHECK(device == 0);
    CHECK(pop(&popped) != cudaSuccess);
    CHECK(push(nullptr) == cudaErrorContextIsDestroyed);
  }).join();
  CHECK_FALSE(emulation::has_context(0));
}
