// Capturing: a stream that is captured into a graph, as trainers capture theirs. beside_a_capture: work of another
// thread meanwhile.
#pragma once
#include <exception>
#include <string>
#include <thread>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

namespace test {

/// From its construction on, until `end`.
class Capturing {
 public:
  Capturing() {
    REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal) == cudaSuccess);
  }
  Capturing(Capturing const&) = delete;
  Capturing& operator=(Capturing const&) = delete;
  ~Capturing() {
    if (!has_ended_) static_cast<void>(end());
    CHECK(cudaStreamDestroy(stream_) == cudaSuccess);
  }
  /// cudaErrorStreamCaptureInvalidated, if a call ended the capture before.
  cudaError_t end() {
    has_ended_ = true;
    cudaGraph_t graph = nullptr;
    auto const status = cudaStreamEndCapture(stream_, &graph);
    static_cast<void>(cudaGetLastError());
    return status;
  }

 private:
  cudaStream_t stream_ = nullptr;
  bool has_ended_ = false;
};

/// Calls f in another thread, and checks that it neither throws nor ends this thread's capture.
template <class F>
void beside_a_capture(F&& f) {
  Capturing capture;
  std::string failure;
  std::thread([&] {
    try {
      f();
    } catch (std::exception const& error) {
      failure = error.what();
    } catch (...) {
      failure = "a check";
    }
  }).join();
  CHECK(failure == "");
  CHECK(capture.end() == cudaSuccess);
}

}  // namespace test
