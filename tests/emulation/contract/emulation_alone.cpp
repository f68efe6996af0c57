// The emulation's additions to CUDA's runtime: seeds, budgets, failures on demand, the log of calls.
#include <emulation/kernels.hpp>

#include "contract.hpp"

#if defined(TESSERA_CUDA_EMULATION)
#include <algorithm>
#include <string>

using namespace contract;

namespace {

/// A machine other than the usual one, for a test.
struct Other {
  explicit Other(emulation::Machine const& machine) { emulation::set(machine); }
  Other(Other const&) = delete;
  Other& operator=(Other const&) = delete;
  ~Other() { emulation::set({}); }
};

}  // namespace

TEST_CASE("a seed's bits say which streams are late") {
  for (unsigned seed = 0; seed < 16; ++seed) {
    CAPTURE(seed);
    Device<int> there{4};
    emulation::seed(seed);
    Stream streams[4];
    for (unsigned i = 0; i < 4; ++i) good(cudaMemsetAsync(there.data() + i, 1, sizeof(int), streams[i]));
    for (unsigned i = 0; i < 4; ++i)
      CHECK(cudaStreamQuery(streams[i]) == ((seed >> i & 1) != 0 ? cudaErrorNotReady : cudaSuccess));
    good(cudaDeviceSynchronize());
  }
}

TEST_CASE("a late stream that is asked in a loop is ready the third time") {
  Device<int> there{1};
  emulation::seed(1);
  Stream stream;
  good(cudaMemsetAsync(there.data(), 1, sizeof(int), stream));
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  Event event;
  good(cudaMemsetAsync(there.data(), 1, sizeof(int), stream));
  good(cudaEventRecord(event, stream));
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaEventQuery(event) == cudaSuccess);
}

TEST_CASE("a large seed draws, and draws the same again") {
  auto const course = [](std::uint64_t seed) {
    emulation::seed(seed);
    Device<int> there{1};
    Stream stream;
    std::string ready;
    for (int i = 0; i < 40; ++i) {
      good(cudaMemsetAsync(there.data(), i, sizeof(int), stream));
      ready += cudaStreamQuery(stream) == cudaSuccess ? 'y' : 'n';
      stream.wait();
    }
    return ready;
  };
  auto const first = course(1000);
  CHECK(first.find('y') != std::string::npos);
  CHECK(first.find('n') != std::string::npos);
  CHECK(course(1000) == first);
  CHECK(course(1001) != first);
}

TEST_CASE("time passes when it is asked to") {
  Device<int> there{1};
  emulation::seed(1);
  Stream stream;
  good(cudaMemsetAsync(there.data(), 1, sizeof(int), stream));
  emulation::run_all();
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
}

TEST_CASE("a device has as much memory as the machine says") {
  Other const machine{{.memory = 1 << 20}};
  std::size_t free = 0, total = 0;
  good(cudaMemGetInfo(&free, &total));
  CHECK(total == 1 << 20);
  CHECK(free == 1 << 20);
  {
    Device<char> half{1 << 19};
    good(cudaMemGetInfo(&free, &total));
    CHECK(free <= 1 << 19);
    void* more = nullptr;
    CHECK(cudaMalloc(&more, (1 << 19) + 1) == cudaErrorMemoryAllocation);
    CHECK(cudaMallocAsync(&more, (1 << 19) + 1, nullptr) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  }
  good(cudaMemGetInfo(&free, &total));
  CHECK(free == 1 << 20);
}

TEST_CASE("as much memory can be page-locked as the machine says") {
  Other const machine{{.page_locked = 1 << 20}};
  void* more = nullptr;
  {
    Pinned<char> half{1 << 19};
    CHECK(cudaMallocHost(&more, 1 << 20) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  }
  good(cudaMallocHost(&more, 1 << 20));
  good(cudaFreeHost(more));
}

TEST_CASE("what is alive is counted") {
  CHECK(emulation::alive().allocations == 0);
  {
    Device<char> there{1000};
    Pinned<char> here{10};
    Stream stream;
    Event event;
    auto const now = emulation::alive();
    CHECK(now.allocations == 2);
    CHECK(now.bytes >= 1000);
    CHECK(now.page_locked >= 10);
    CHECK(now.streams == 1);
    CHECK(now.events == 1);
    CHECK(now.pools == 0);
  }
  auto const after = emulation::alive();
  CHECK(after.allocations + after.bytes + after.page_locked + after.streams + after.events == 0);
}

TEST_CASE("the log has each call with its bytes, its kind and its stream") {
  Device<int> there{4};
  Pinned<int> here{4};
  Stream stream;
  emulation::Watch const watch;
  good(cudaMemcpyAsync(there.data(), here.data(), 12, cudaMemcpyDefault, stream));
  emulation::note("halfway");
  good(cudaMemcpyAsync(here.data(), there.data(), 8, cudaMemcpyDeviceToHost, stream));
  launch(stream, 4, Store{there.data(), 1});
  good(cudaMemsetAsync(there.data(), 0, 16, stream));
  stream.wait();
  std::vector<std::string> names;
  for (auto const& call : watch.calls()) names.emplace_back(call.name);
  CHECK(names == std::vector<std::string>{"cudaMemcpyAsync", "halfway", "cudaMemcpyAsync", "emulatedLaunch",
                                          "cudaMemsetAsync", "cudaStreamSynchronize"});
  auto const first = watch.calls().front();
  CHECK(first.bytes == 12);
  CHECK(first.kind == cudaMemcpyHostToDevice);
  CHECK(first.result == cudaSuccess);
  CHECK(first.stream >= 0);
  CHECK(watch.count("cudaMemcpyAsync") == 2);
  CHECK(watch.copies(cudaMemcpyHostToDevice) == 1);
  CHECK(watch.copied(cudaMemcpyHostToDevice) == 12);
  CHECK(watch.copied(cudaMemcpyDeviceToHost) == 8);
  CHECK(watch.copies(cudaMemcpyDeviceToDevice) == 0);
  CHECK(watch.launches() == 1);
  CHECK(watch.synchronisations() == 1);
}

TEST_CASE("watches see what they enclose") {
  Device<int> there{1};
  emulation::Watch const outer;
  good(cudaMemset(there.data(), 0, 4));
  {
    emulation::Watch const inner;
    good(cudaDeviceSynchronize());
    CHECK(inner.count() == 1);
    CHECK(inner.synchronisations() == 1);
  }
  CHECK(outer.count() == 2);
}

TEST_CASE("blocking copies and frees are waits") {
  emulation::Watch const watch;
  int here = 1;
  {
    Device<int> there{1};
    good(cudaMemcpy(there.data(), &here, sizeof here, cudaMemcpyHostToDevice));
    CHECK(watch.synchronisations() == 1);
  }
  CHECK(watch.synchronisations() == 2);
}

TEST_CASE("the k-th call fails on demand, once") {
  Device<int> there{1};
  Stream stream;
  emulation::fail(2, cudaErrorUnknown);
  CHECK(cudaMemsetAsync(there.data(), 0, 4, stream) == cudaSuccess);
  CHECK(cudaMemsetAsync(there.data(), 0, 4, stream) == cudaSuccess);
  CHECK_FALSE(emulation::has_failed());
  CHECK(cudaStreamSynchronize(stream) == cudaErrorUnknown);
  CHECK(emulation::has_failed());
  CHECK(emulation::failed_call() == "cudaStreamSynchronize");
}

TEST_CASE("a call fails with what a real runtime gives there") {
  void* memory = nullptr;
  emulation::fail(0);
  CHECK(cudaMalloc(&memory, 4) == cudaErrorMemoryAllocation);
  CHECK(memory == nullptr);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&memory, 4) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
  for (auto const* call : {"cudaMalloc", "cudaMallocAsync", "cudaMallocHost"}) {
    auto const errors = emulation::errors_of(call);
    CHECK(std::count(errors.begin(), errors.end(), cudaErrorMemoryAllocation) == 1);
  }
}

TEST_CASE("a free that fails frees all the same") {
  void* memory = nullptr;
  good(cudaMalloc(&memory, 4));
  emulation::fail(0, cudaErrorInvalidValue);
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(emulation::alive().allocations == 0);
}

TEST_CASE("an error that breaks the context stays until the device is reset") {
  int device = 0;
  emulation::fail(0, cudaErrorLaunchFailure);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaGetDevice(&device) == cudaSuccess);  // which needs no context
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a capture is ended by what another thread asks, unless one of them says that it does not matter") {
  // cudaThreadExchangeStreamCaptureMode
  Stream stream, other;
  Event event;
  cudaGraph_t graph = nullptr;
  auto const ask_elsewhere = [&](cudaStreamCaptureMode mode, cudaError_t expected) {
    std::thread([&] {
      CHECK(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
      CHECK(mode == cudaStreamCaptureModeGlobal);
      CHECK(cudaEventRecord(event, other) == cudaSuccess);
      CHECK(cudaEventSynchronize(event) == expected);
    }).join();
  };
  good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ask_elsewhere(cudaStreamCaptureModeRelaxed, cudaSuccess);
  ask_elsewhere(cudaStreamCaptureModeThreadLocal, cudaSuccess);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ask_elsewhere(cudaStreamCaptureModeGlobal, cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  ask_elsewhere(cudaStreamCaptureModeGlobal, cudaSuccess);
  void* memory = nullptr;
  CHECK(cudaMallocHost(&memory, 1) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a capture is ended by a thread that waits for its device, in any mode") {
  // Programming Guide, "Prohibited and Unhandled Operations"
  cudaGraph_t graph = nullptr;
  auto const modes = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};
  for (auto const captures : modes)
    for (auto mode : modes) {
      Stream stream;
      good(cudaStreamBeginCapture(stream, captures));
      std::thread([&] {
        CHECK(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
        CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
        CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);  // until the program ends the capture
      }).join();
      CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
      CHECK(cudaDeviceSynchronize() == cudaSuccess);
      cudaGetLastError();
    }
}

TEST_CASE("memory of a pool that was freed in work still to be done is lent again, but is no part of a larger block") {
  // Programming Guide, "Stream Ordered Memory Allocator"
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  Other const other{{.memory = mebibyte}};
  emulation::seed(15);
  Stream stream;
  void* memory = nullptr;
  auto const allocate = [&](std::size_t size) { return cudaMallocAsync(&memory, size, stream); };
  for (auto const size : {mebibyte / 2 + 1, mebibyte / 2}) {
    REQUIRE(allocate(size) == cudaSuccess);
    REQUIRE(cudaMemsetAsync(memory, 1, size, stream) == cudaSuccess);
    REQUIRE(cudaFreeAsync(memory, stream) == cudaSuccess);
  }
  CHECK(allocate(mebibyte) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  REQUIRE(allocate(mebibyte) == cudaSuccess);
  CHECK(cudaFreeAsync(memory, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
}

#endif
