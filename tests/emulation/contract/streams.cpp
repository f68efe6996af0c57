// Streams. From "Stream Management" and "Stream synchronization behavior" of CUDA's runtime API manual.
#include "contract.hpp"

using namespace contract;

TEST_CASE("a stream with nothing to do is ready") {  // cudaStreamQuery
  Stream stream;
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
}

TEST_CASE("a stream with work to do is not ready until it is done") {  // cudaStreamQuery
  Device<int> there{1};
  HeldStream stream;
  good(cudaMemsetAsync(there.data(), 0, sizeof(int), stream));
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  cudaGetLastError();  // which a runtime may leave there
  stream.wait();
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("asking again and again ends") {  // cudaStreamQuery
  Device<int> there{1};
  Pinned<int> here{1};
  write(there.data(), {8});
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  cudaError_t status;
  while ((status = cudaStreamQuery(stream)) == cudaErrorNotReady) std::this_thread::yield();
  CHECK(status == cudaSuccess);
  CHECK(here[0] == 8);
}

TEST_CASE("streams know their flags and their device") {  // cudaStreamGetFlags, cudaStreamGetDevice
  unsigned flags = 99;
  {
    Stream stream{cudaStreamNonBlocking};
    good(cudaStreamGetFlags(stream, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    int device = -1, current = -2;
    good(cudaStreamGetDevice(stream, &device));
    good(cudaGetDevice(&current));
    CHECK(device == current);
  }
  cudaStream_t plain = nullptr;
  good(cudaStreamCreate(&plain));
  good(cudaStreamGetFlags(plain, &flags));
  CHECK(flags == cudaStreamDefault);
  good(cudaStreamDestroy(plain));
}

TEST_CASE("a stream may be made with a priority") {  // cudaStreamCreateWithPriority
  cudaStream_t stream = nullptr;
  good(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0));
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  int priority = -99;
  good(cudaStreamGetPriority(stream, &priority));
  CHECK(priority == 0);
  good(cudaStreamDestroy(stream));
}

TEST_CASE("unknown flags are refused") {  // cudaStreamCreateWithFlags: cudaErrorInvalidValue
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, 0x1000) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaStreamCreateWithFlags(nullptr, cudaStreamDefault) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("a stream that is destroyed does its work to the end, and nobody waits") {  // cudaStreamDestroy
  Device<int> there{1};
  Pinned<int> here{1};
  write(there.data(), {8});
  here[0] = 0;
  cudaStream_t stream = nullptr;
  good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Event done;
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  good(cudaEventRecord(done, stream));
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  good(cudaEventSynchronize(done));
  CHECK(here[0] == 8);
}

TEST_CASE("waiting for the device waits for every stream") {  // Device Management, cudaDeviceSynchronize
  Device<int> there{1};
  write(there.data(), {8});
  Pinned<int> here{3};
  Stream streams[3];
  for (std::size_t i = 0; i < 3; ++i)
    good(cudaMemcpyAsync(here.data() + i, there.data(), sizeof(int), cudaMemcpyDeviceToHost, streams[i]));
  good(cudaDeviceSynchronize());
  for (std::size_t i = 0; i < 3; ++i) CHECK(here[i] == 8);
}

TEST_CASE("the legacy stream waits for blocking streams, and they for it") {  // Stream synchronization behavior
  Device<int> there{1};
  Pinned<int> here{2};
  here[0] = 1;
  here[1] = 0;
  Stream blocking{cudaStreamDefault};
  good(cudaMemcpyAsync(there.data(), here.data(), sizeof(int), cudaMemcpyHostToDevice, blocking));
  good(cudaMemsetAsync(there.data(), 7, 1, cudaStreamLegacy));
  good(cudaMemcpyAsync(here.data() + 1, there.data(), sizeof(int), cudaMemcpyDeviceToHost, blocking));
  blocking.wait();
  CHECK(here[1] == 7);
}

TEST_CASE("two blocking streams are ordered by work of the legacy stream between theirs") {  // as above
  Device<int> a{1}, b{1};
  Pinned<int> here{2};
  here[0] = 5;
  Stream one{cudaStreamDefault}, other{cudaStreamDefault};
  good(cudaMemcpyAsync(a.data(), here.data(), sizeof(int), cudaMemcpyHostToDevice, one));
  good(cudaMemcpyAsync(b.data(), a.data(), sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
  good(cudaMemcpyAsync(here.data() + 1, b.data(), sizeof(int), cudaMemcpyDeviceToHost, other));
  other.wait();
  CHECK(here[1] == 5);
}

TEST_CASE("a non-blocking stream does not wait for the legacy stream, nor it for that") {  // as above
  Device<int> there{1};
  HeldStream held;
  good(cudaMemsetAsync(there.data(), 1, sizeof(int), held));
  good(cudaMemsetAsync(there.data(), 2, sizeof(int), cudaStreamLegacy));
  CHECK(cudaStreamSynchronize(cudaStreamLegacy) == cudaSuccess);  // would hang if it waited for `held`
  CHECK(cudaStreamQuery(held) == cudaErrorNotReady);
  held.wait();
  CHECK(read(there.data(), 1)[0] == 0x01010101);
}

TEST_CASE("the legacy stream is nobody's to destroy") {  // cudaStreamDestroy: cudaErrorInvalidResourceHandle
  CHECK(cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

TEST_CASE("a stream that captures nothing says so") {  // cudaStreamIsCapturing
  Stream stream;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  good(cudaStreamIsCapturing(stream, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph) != cudaSuccess);
  CHECK(graph == nullptr);
  CHECK(cudaGetLastError() != cudaSuccess);
}

TEST_CASE("host threads work in their own streams at once") {  // Programming Guide, "Streams"
  constexpr int threads = 8, rounds = 50;
  std::vector<std::thread> all;
  std::vector<int> wrong(threads, 0);
  for (int t = 0; t < threads; ++t)
    all.emplace_back([t, &wrong] {
      Stream stream;
      Pinned<int> here{2};
      int* there = nullptr;
      for (int i = 0; i < rounds; ++i) {
        here[0] = t * rounds + i;
        if (cudaMallocAsync(reinterpret_cast<void**>(&there), sizeof(int), stream) != cudaSuccess ||
            cudaMemcpyAsync(there, here.data(), sizeof(int), cudaMemcpyHostToDevice, stream) != cudaSuccess ||
            cudaMemcpyAsync(here.data() + 1, there, sizeof(int), cudaMemcpyDeviceToHost, stream) != cudaSuccess ||
            cudaFreeAsync(there, stream) != cudaSuccess || cudaStreamSynchronize(stream) != cudaSuccess ||
            here[1] != here[0])
          ++wrong[static_cast<std::size_t>(t)];
      }
    });
  for (auto& thread : all) thread.join();
  CHECK(wrong == std::vector<int>(threads, 0));
}
