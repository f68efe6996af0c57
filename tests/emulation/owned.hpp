// Streams, events and memory of tests, made and freed by the runtime's own functions.
#pragma once
#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

namespace test {

/// Ends the test as failed unless the call succeeded: each program has its own.
void good(cudaError_t status);

class Stream {
 public:
  explicit Stream(unsigned flags = cudaStreamNonBlocking) { good(cudaStreamCreateWithFlags(&stream_, flags)); }
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }
  void wait() const { good(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) { good(cudaEventCreateWithFlags(&event_, flags)); }
  Event(Event const&) = delete;
  Event& operator=(Event const&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// `count` elements made by one function of the runtime and freed by another.
template <class T, cudaError_t (*Free)(void*)>
class Memory {
 public:
  template <class Make>
  Memory(std::size_t count, Make make) : count_{count} {
    void* address = nullptr;
    good(make(&address, count * sizeof(T)));
    data_ = static_cast<T*>(address);
  }
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;
  ~Memory() { Free(data_); }

  T* data() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::size_t count_;
  T* data_;
};

template <class T>
struct Device : Memory<T, cudaFree> {
  explicit Device(std::size_t count)
      : Memory<T, cudaFree>{count, [](void** at, std::size_t size) { return cudaMalloc(at, size); }} {}
};
template <class T>
struct Pinned : Memory<T, cudaFreeHost> {
  explicit Pinned(std::size_t count)
      : Memory<T, cudaFreeHost>{count, [](void** at, std::size_t size) { return cudaMallocHost(at, size); }} {}
};
template <class T>
struct Managed : Memory<T, cudaFree> {
  explicit Managed(std::size_t count)
      : Memory<T, cudaFree>{
            count, [](void** at, std::size_t size) { return cudaMallocManaged(at, size, cudaMemAttachGlobal); }} {}
};

/// The bytes in memory of any kind, after a wait for all work on it.
template <class T>
std::vector<T> read(T const* from, std::size_t count) {
  std::vector<T> values(count);
  good(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDefault));
  return values;
}

/// Fills memory of any kind, and waits.
template <class T>
void write(T* to, std::vector<T> const& values) {
  good(cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyDefault));
  good(cudaDeviceSynchronize());
}

}  // namespace test
