// The emulated runtime between processes, and which wrong uses it refuses or reports.
#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <emulation/emulation.hpp>
#include <ipc/process.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/metadata/detail/base64.hpp>

using namespace tessera;

namespace ipc_runtime_tests {

template <class Handle>
std::string text_of(Handle const& handle) {
  return {reinterpret_cast<char const*>(&handle), sizeof handle};
}
template <class Handle>
Handle handle_of(std::string const& text) {
  Handle handle{};
  REQUIRE(text.size() == sizeof handle);
  std::memcpy(&handle, text.data(), sizeof handle);
  return handle;
}

struct AddOne {
  int* data;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { data[i] += 1; }
};

// An exporter: an allocation of 1000 ints, all of them 7, and an event after the fill.
TEST_CASE("child: exporter" * doctest::skip()) {
  auto const tell = test::Process::mine();
  emulation::seed(15);  // late: only waits let it run
  int* data = nullptr;
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&data), 1000 * sizeof(int)) == cudaSuccess);
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(data, 7, 1000 * sizeof(int), stream) == cudaSuccess);
  REQUIRE(cudaEventRecord(event, stream) == cudaSuccess);
  cudaIpcMemHandle_t memory{}, inner{};
  cudaIpcEventHandle_t ready{};
  REQUIRE(cudaIpcGetMemHandle(&memory, data) == cudaSuccess);
  REQUIRE(cudaIpcGetMemHandle(&inner, data + 10) == cudaSuccess);
  CHECK(text_of(inner) == text_of(memory));
  REQUIRE(cudaIpcGetEventHandle(&ready, event) == cudaSuccess);
  void* opened = nullptr;
  CHECK(cudaIpcOpenMemHandle(&opened, memory, cudaIpcMemLazyEnablePeerAccess) == cudaErrorDeviceUninitialized);
  static_cast<void>(cudaGetLastError());
  tell.put(text_of(memory));
  tell.put(text_of(ready));
  for (;;) {
    auto const asked = tell.get();
    if (asked == "first") {
      int first = 0;
      REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);  // another process waited for the fill, not this one
      REQUIRE(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost) == cudaSuccess);
      tell.put(std::to_string(first));
    }
    if (asked == "free") REQUIRE(cudaFree(data) == cudaSuccess);
    if (asked == "free") tell.put("freed");
    if (asked == "end") break;
  }
  REQUIRE(cudaEventDestroy(event) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}

struct Exporter {
  test::Process process = test::Process::running("child: exporter");
  cudaIpcMemHandle_t memory = handle_of<cudaIpcMemHandle_t>(process->get());
  cudaIpcEventHandle_t ready = handle_of<cudaIpcEventHandle_t>(process->get());
  std::string ask(std::string const& what) {
    process->put(what);
    return process->get();
  }
};

TEST_CASE("device memory of another process is opened once, used by copies and kernels, and closed") {
  Exporter exporter;
  void *first = nullptr, *second = nullptr;
  REQUIRE(cudaIpcOpenMemHandle(&first, exporter.memory, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess);
  REQUIRE(cudaIpcOpenMemHandle(&second, exporter.memory, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess);
  CHECK(first == second);
  cudaEvent_t ready = nullptr;
  REQUIRE(cudaIpcOpenEventHandle(&ready, exporter.ready) == cudaSuccess);
  {
    Queue<space::Device> on{Queue<space::Host>{}};
    REQUIRE(cudaStreamWaitEvent(on.stream(), ready, 0) == cudaSuccess);
    launch(on, 1000, AddOne{static_cast<int*>(first)});
    int value = 0;
    REQUIRE(cudaMemcpyAsync(&value, static_cast<int*>(first) + 999, sizeof value, cudaMemcpyDeviceToHost,
                            on.stream()) == cudaSuccess);
    on.wait();
    CHECK(value == 0x07070707 + 1);  // the fill came first, though its process waits for nothing
  }
  CHECK(exporter.ask("first") == std::to_string(0x07070707 + 1));
  CHECK(cudaEventQuery(ready) == cudaSuccess);
  CHECK(cudaEventSynchronize(ready) == cudaSuccess);
  CHECK(cudaIpcCloseMemHandle(static_cast<int*>(first) + 1) == cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
  REQUIRE(cudaIpcCloseMemHandle(first) == cudaSuccess);
  REQUIRE(cudaIpcCloseMemHandle(first) == cudaSuccess);  // it was opened twice
  CHECK(cudaIpcCloseMemHandle(first) == cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
  REQUIRE(cudaEventDestroy(ready) == cudaSuccess);
  CHECK(emulation::alive().allocations == 0);
  CHECK(exporter.ask("free") == "freed");
  void* late = nullptr;
  CHECK(cudaIpcOpenMemHandle(&late, exporter.memory, cudaIpcMemLazyEnablePeerAccess) ==
        cudaErrorInvalidResourceHandle);  // of an export that was freed
  static_cast<void>(cudaGetLastError());
  exporter.process->put("end");
  CHECK(exporter.process.wait());
}

TEST_CASE("what cannot be exported or opened is refused") {
  cudaIpcMemHandle_t handle{};
  void *pinned = nullptr, *managed = nullptr, *pooled = nullptr, *opened = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 100) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal) == cudaSuccess);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaMallocAsync(&pooled, 100, stream) == cudaSuccess);
  for (void* const data : {pinned, managed, pooled, static_cast<void*>(&handle)})
    CHECK(cudaIpcGetMemHandle(&handle, data) == cudaErrorInvalidValue);
  CHECK(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess) == cudaErrorInvalidValue);
  CHECK(cudaIpcOpenMemHandle(&opened, handle, 0) == cudaErrorInvalidValue);
  cudaEvent_t event = nullptr;
  cudaIpcEventHandle_t ready{};
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
  CHECK(cudaIpcGetEventHandle(&ready, event) == cudaErrorInvalidResourceHandle);
  static_cast<void>(cudaGetLastError());
  REQUIRE(cudaEventDestroy(event) == cudaSuccess);
  REQUIRE(cudaFreeAsync(pooled, stream) == cudaSuccess);
  REQUIRE(cudaFree(managed) == cudaSuccess);
  REQUIRE(cudaFreeHost(pinned) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}

// An exporter that makes events while another process's query lets a host function run.
struct Meanwhile {
  std::atomic<bool> begun{false}, ends{false};
};
TEST_CASE("child: exporter that makes events" * doctest::skip()) {
  auto const tell = test::Process::mine();
  emulation::seed(1);  // the first stream is late: only waits let it run; the second begins after it
  cudaStream_t first = nullptr, second = nullptr;
  std::vector<cudaEvent_t> events(1000);
  cudaIpcEventHandle_t ready{};
  constexpr unsigned shared = cudaEventInterprocess | cudaEventDisableTiming;
  REQUIRE(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&events[0], shared) == cudaSuccess);
  Meanwhile meanwhile;
  auto const wait = [](void* argument) {
    auto& state = *static_cast<Meanwhile*>(argument);
    state.begun = true;
    state.begun.notify_one();
    state.ends.wait(false);
  };
  REQUIRE(cudaEventRecord(events[0], first) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(second, events[0], 0) == cudaSuccess);
  REQUIRE(cudaLaunchHostFunc(second, wait, &meanwhile) == cudaSuccess);
  REQUIRE(cudaIpcGetEventHandle(&ready, events[0]) == cudaSuccess);
  tell.put(text_of(ready));
  meanwhile.begun.wait(false);
  for (std::size_t i = 1; i < events.size(); ++i)
    REQUIRE(cudaEventCreateWithFlags(&events[i], shared) == cudaSuccess);
  meanwhile.ends = true;
  meanwhile.ends.notify_one();
  CHECK(tell.get() == "end");
  for (auto const event : events) REQUIRE(cudaEventDestroy(event) == cudaSuccess);
  for (auto const stream : {first, second}) REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}
TEST_CASE("a process answers for its events while it makes others") {
  auto exporter = test::Process::running("child: exporter that makes events");
  cudaEvent_t ready = nullptr;
  REQUIRE(cudaIpcOpenEventHandle(&ready, handle_of<cudaIpcEventHandle_t>(exporter->get())) == cudaSuccess);
  CHECK(cudaEventSynchronize(ready) == cudaSuccess);
  REQUIRE(cudaEventDestroy(ready) == cudaSuccess);
  exporter->put("end");
  CHECK(exporter.wait());
}

// Errors that end the program, in programs of their own.
TEST_CASE("child: use after close" * doctest::skip()) {
  auto const tell = test::Process::mine();
  auto const handle = handle_of<cudaIpcMemHandle_t>(tell.get());
  void* data = nullptr;
  REQUIRE(cudaIpcOpenMemHandle(&data, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess);
  REQUIRE(cudaIpcCloseMemHandle(data) == cudaSuccess);
  tell.put("closed");
  static_cast<void>(cudaMemset(data, 0, 4));
  tell.put("unnoticed");
}
TEST_CASE("child: free of an import" * doctest::skip()) {
  auto const tell = test::Process::mine();
  auto const handle = handle_of<cudaIpcMemHandle_t>(tell.get());
  void* data = nullptr;
  REQUIRE(cudaIpcOpenMemHandle(&data, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess);
  tell.put("closed");
  static_cast<void>(cudaFree(data));
  tell.put("unnoticed");
}
TEST_CASE("wrong uses between processes end the program") {
  for (auto const* wrong : {"child: use after close", "child: free of an import"}) {
    Exporter exporter;
    auto child = test::Process::running(wrong);
    child->put(text_of(exporter.memory));
    CHECK(child->get() == "closed");
    CHECK_THROWS(child->get());
    CHECK(!child.wait());
  }
  Exporter exporter;  // frees memory that is open here
  void* data = nullptr;
  REQUIRE(cudaIpcOpenMemHandle(&data, exporter.memory, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess);
  CHECK_THROWS(exporter.ask("free"));
  REQUIRE(cudaIpcCloseMemHandle(data) == cudaSuccess);
}

}  // namespace ipc_runtime_tests
