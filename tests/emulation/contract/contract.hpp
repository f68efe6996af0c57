// Common code of the tests of the runtime's contract. The same files run on the emulated runtime, under 16 seeds, and
// on a GPU, once: they check both against CUDA's documentation, whose sections their comments name.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <emulation/owned.hpp>

#if defined(TESSERA_CUDA_EMULATION)
#include <emulation/emulation.hpp>
#endif

/// How a failed check shows an error: by its name.
inline doctest::String toString(cudaError_t error) { return cudaGetErrorName(error); }

namespace contract {

using namespace test;

/// Whether kernels run in the program itself, as the emulation's do under ThreadSanitizer: their faults are then its
/// own.
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

/// A stream whose work does not run before it is released: a host function at its beginning waits. While it is held, no
/// call may wait for the whole device, such as cudaFree, and no kernel may be launched for the first time.
class HeldStream {
 public:
  HeldStream() {
    auto const hold = [](void* open) { static_cast<std::atomic<bool>*>(open)->wait(false); };
    good(cudaLaunchHostFunc(stream_, hold, &open_));
  }
  HeldStream(HeldStream const&) = delete;
  HeldStream& operator=(HeldStream const&) = delete;
  ~HeldStream() {
    let_go();
    cudaStreamSynchronize(stream_);
  }

  operator cudaStream_t() const { return stream_; }
  void let_go() {
    open_ = true;
    open_.notify_all();
  }
  void wait() {
    let_go();
    stream_.wait();
  }

 private:
  std::atomic<bool> open_{false};
  Stream stream_;
};

inline std::vector<int> const some_values{3, 1, 4, 1, 5, 9, 2, 6};

}  // namespace contract
