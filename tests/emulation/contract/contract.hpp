// What the tests of the runtime's contract share. The same files run on the emulated runtime, under 16 seeds, and on a
// GPU, once: they hold both to CUDA's documentation, whose sections their comments name.
#pragma once
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#if defined(TESSERA_CUDA_EMULATION)
#include <emulation/emulation.hpp>
#else
#include <atomic>
#endif

template <>
struct doctest::StringMaker<cudaError_t> {
  static doctest::String convert(cudaError_t error) { return cudaGetErrorName(error); }
};

namespace contract {

/// Whether kernels run in the program itself, as the emulation's do under ThreadSanitizer: their faults are then its own.
#if defined(__SANITIZE_THREAD__)
constexpr bool kernels_are_the_programs_own = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kernels_are_the_programs_own = true;
#else
constexpr bool kernels_are_the_programs_own = false;
#endif
#else
constexpr bool kernels_are_the_programs_own = false;
#endif

/// Fails the test unless the call succeeded.
inline void good(cudaError_t status) { REQUIRE(status == cudaSuccess); }

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
  explicit Managed(std::size_t count) : Memory<T, cudaFree>{count, [](void** at, std::size_t size) {
                                          return cudaMallocManaged(at, size, cudaMemAttachGlobal);
                                        }} {}
};

/// A stream whose work does not run before it is let go: a GPU is kept waiting by a host function; the emulation's
/// stream is late, and lets go by itself when somebody waits for it or has asked three times. While it is held, nothing
/// may be called that might wait for the whole device, such as cudaFree, and no kernel may be launched for the first time.
class HeldStream {
 public:
#if defined(TESSERA_CUDA_EMULATION)
  HeldStream() : stream_{late()} {}
  void let_go() {}

 private:
  static unsigned late() {
    emulation::seed(1);  // the first stream from now on
    return cudaStreamNonBlocking;
  }
#else
  HeldStream() {
    auto const hold = [](void* open) { static_cast<std::atomic<bool>*>(open)->wait(false); };
    good(cudaLaunchHostFunc(stream_, hold, &open_));
  }
  void let_go() {
    open_ = true;
    open_.notify_all();
  }

 private:
  std::atomic<bool> open_{false};
#endif

 public:
  HeldStream(HeldStream const&) = delete;
  HeldStream& operator=(HeldStream const&) = delete;
  ~HeldStream() {
    let_go();
    cudaStreamSynchronize(stream_);
  }
  operator cudaStream_t() const { return stream_; }
  void wait() {
    let_go();
    stream_.wait();
  }

 private:
  Stream stream_;
};

/// What lies in memory of any kind, after all work on it was waited for.
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

inline std::vector<int> const some_values{3, 1, 4, 1, 5, 9, 2, 6};

}  // namespace contract
