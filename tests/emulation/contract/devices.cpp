// Devices: the current one, and traffic between two. From "Device Management", "Peer Device Memory Access", "Version
// Management" and "Memory Management" of CUDA's runtime API manual.
#include <emulation/kernels.hpp>

#include "contract.hpp"

using namespace contract;

namespace {

int devices() {
  int count = 0;
  good(cudaGetDeviceCount(&count));
  return count;
}

int current() {
  int device = -1;
  good(cudaGetDevice(&device));
  return device;
}

/// A machine with two devices, if available; the first is current.
class TwoDevices {
 public:
#if defined(TESSERA_CUDA_EMULATION)
  explicit TwoDevices(bool peers = false) { emulation::set({.devices = 2, .peers = peers}); }
  ~TwoDevices() {
    cudaSetDevice(0);
    emulation::set({});
  }
  bool there() const { return true; }
#else
  explicit TwoDevices(bool = false) {
    if (!there()) MESSAGE("not run: there is one GPU");
  }
  ~TwoDevices() { cudaSetDevice(0); }
  bool there() const { return devices() > 1; }
#endif
  TwoDevices(TwoDevices const&) = delete;
  TwoDevices& operator=(TwoDevices const&) = delete;
};

class On {  // makes a device current for a while
 public:
  explicit On(int device) { good(cudaSetDevice(device)); }
  On(On const&) = delete;
  On& operator=(On const&) = delete;
  ~On() { cudaSetDevice(before_); }

 private:
  int before_ = current();
};

}  // namespace

TEST_CASE("the first device is current at first") {  // cudaGetDevice
  CHECK(devices() >= 1);
  CHECK(current() == 0);
}

TEST_CASE("a device that is not there cannot be made current") {  // cudaSetDevice: cudaErrorInvalidDevice
  CHECK(cudaSetDevice(devices()) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(current() == 0);
}

TEST_CASE("a device tells what it can do") {  // cudaDeviceGetAttribute
  int value = 0;
  for (auto const what :
       {cudaDevAttrComputeCapabilityMajor, cudaDevAttrMultiProcessorCount, cudaDevAttrMaxThreadsPerBlock,
        cudaDevAttrUnifiedAddressing, cudaDevAttrMemoryPoolsSupported}) {
    value = 0;
    good(cudaDeviceGetAttribute(&value, what, 0));
    CHECK(value > 0);
  }
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, devices()) == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

TEST_CASE("the versions are known") {  // cudaRuntimeGetVersion, cudaDriverGetVersion
  int version = 0;
  good(cudaRuntimeGetVersion(&version));
  CHECK(version == CUDART_VERSION);
  good(cudaDriverGetVersion(&version));
  CHECK(version >= 13000);
}

TEST_CASE("a device is no peer of itself") {  // Peer Device Memory Access
  int can = -1;
  good(cudaDeviceCanAccessPeer(&can, 0, 0));
  CHECK(can == 0);
  auto const refused = cudaDeviceEnablePeerAccess(0, 0);
  CHECK((refused == cudaErrorInvalidDevice || refused == cudaErrorPeerAccessUnsupported));
  CHECK(cudaGetLastError() == refused);
}

TEST_CASE("each host thread has its current device, the first one at first") {  // cudaSetDevice
  TwoDevices const machine;
  if (!machine.there()) return;
  On second{1};
  int of_another = -1;
  std::thread{[&] { cudaGetDevice(&of_another); }}.join();
  CHECK(of_another == 0);
  CHECK(current() == 1);
}

TEST_CASE("what is made belongs to the device that was current") {  // cudaSetDevice
  TwoDevices const machine;
  if (!machine.there()) return;
  On second{1};
  Device<int> there{1};
  Stream stream;
  good(cudaSetDevice(0));
  cudaPointerAttributes found{};
  good(cudaPointerGetAttributes(&found, there.data()));
  CHECK(found.device == 1);
  int device = -1;
  good(cudaStreamGetDevice(stream, &device));
  CHECK(device == 1);
}

TEST_CASE("copies and fills go into a stream of any device") {  // Programming Guide, "Stream and Event Behavior"
  TwoDevices const machine;
  if (!machine.there()) return;
  On second{1};
  Device<int> there{1};
  Pinned<int> here{1};
  Stream stream;
  good(cudaSetDevice(0));
  good(cudaMemsetAsync(there.data(), 4, sizeof(int), stream));
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  CHECK(here[0] == 0x04040404);
}

TEST_CASE("memory in a stream's order is memory of the stream's device") {  // cudaMallocAsync
  TwoDevices const machine;
  if (!machine.there()) return;
  On second{1};
  Stream stream;
  good(cudaSetDevice(0));
  void* there = nullptr;
  good(cudaMallocAsync(&there, 4, stream));
  stream.wait();
  cudaPointerAttributes found{};
  good(cudaPointerGetAttributes(&found, there));
  CHECK(found.device == 1);
  good(cudaFreeAsync(there, stream));
  stream.wait();
}

TEST_CASE("an event is recorded in streams of its device only, and waited for in any") {  // cudaEventRecord
  TwoDevices const machine;
  if (!machine.there()) return;
  Pinned<int> here{1};
  Device<int> there{1};
  write(there.data(), {9});
  here[0] = 0;
  Stream first;
  Event of_first;
  On second{1};
  Stream other;
  Pinned<int> seen{1};
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, first));
  CHECK(cudaEventRecord(of_first, other) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  good(cudaEventRecord(of_first, first));
  good(cudaStreamWaitEvent(other, of_first, 0));
  good(cudaMemcpyAsync(seen.data(), here.data(), sizeof(int), cudaMemcpyHostToHost, first));
  good(cudaStreamSynchronize(other));
  CHECK(here[0] == 9);
}

TEST_CASE("bytes pass between devices, whether they are peers or not") {  // cudaMemcpyPeerAsync
  for (bool const peers : {false, true}) {
    TwoDevices const machine{peers};
    if (!machine.there()) return;
    Device<int> on_first{some_values.size()};
    write(on_first.data(), some_values);
    On second{1};
    Device<int> on_second{some_values.size()};
    Stream stream;
    good(cudaMemcpyPeerAsync(on_second.data(), 1, on_first.data(), 0, on_first.bytes(), stream));
    stream.wait();
    CHECK(read(on_second.data(), some_values.size()) == some_values);
    good(cudaMemset(on_second.data(), 0, on_second.bytes()));
    good(cudaMemcpy(on_second.data(), on_first.data(), on_first.bytes(), cudaMemcpyDefault));
    CHECK(read(on_second.data(), some_values.size()) == some_values);
  }
}

TEST_CASE(
    "peers are granted access once, and lose it once") {  // cudaDeviceEnablePeerAccess, cudaDeviceDisablePeerAccess
  TwoDevices const machine{true};
  if (!machine.there()) return;
  int can = 0;
  good(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) {
    CHECK(cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess);
    cudaGetLastError();
    return;
  }
  CHECK(cudaDeviceEnablePeerAccess(1, 1) == cudaErrorInvalidValue);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaSuccess);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  CHECK(cudaGetLastError() == cudaErrorPeerAccessNotEnabled);
}

TEST_CASE("a kernel reads a peer's memory when access was granted") {  // cudaDeviceEnablePeerAccess
  TwoDevices const machine{true};
  if (!machine.there()) return;
  int can = 0;
  good(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) {
    MESSAGE("not run: the GPUs cannot reach each other's memory");
    return;
  }
  good(cudaDeviceEnablePeerAccess(1, 0));
  {
    int* there = nullptr;
    {
      On second{1};
      good(cudaMalloc(reinterpret_cast<void**>(&there), sizeof(int)));
    }
    Stream stream;
    launch(stream, 1, Store{there, 3});
    stream.wait();
    CHECK(read(there, 1)[0] == 3);
    good(cudaFree(there));
  }
  good(cudaDeviceDisablePeerAccess(1));
}

TEST_CASE("a pool's memory is a peer's to use when the pool says so") {  // cudaMemPoolSetAccess
  TwoDevices const machine{true};
  if (!machine.there()) return;
  int can = 0;
  good(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) {
    MESSAGE("not run: the GPUs cannot reach each other's memory");
    return;
  }
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 1;
  cudaMemPool_t pool = nullptr;
  good(cudaMemPoolCreate(&pool, &properties));
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  good(cudaMemPoolSetAccess(pool, &access, 1));
  {
    Stream stream;
    void* there = nullptr;
    good(cudaMallocFromPoolAsync(&there, sizeof(int), pool, stream));
    launch(stream, 1, Store{static_cast<int*>(there), 5});
    stream.wait();
    CHECK(read(static_cast<int*>(there), 1)[0] == 5);
    good(cudaFreeAsync(there, stream));
    stream.wait();
  }
  good(cudaMemPoolDestroy(pool));
}

TEST_CASE("waiting for a device waits for its streams") {  // cudaDeviceSynchronize
  TwoDevices const machine;
  if (!machine.there()) return;
  On second{1};
  Device<int> there{1};
  Pinned<int> here{1};
  write(there.data(), {2});
  here[0] = 0;
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  good(cudaDeviceSynchronize());
  CHECK(here[0] == 2);
}
