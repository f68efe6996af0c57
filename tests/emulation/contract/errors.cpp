// Errors that pass, and errors that stay. From "Error Handling" of CUDA's runtime API manual.
#include <cstdio>
#include <string>

#include <spawn.h>
#include <sys/wait.h>

#include <emulation/kernels.hpp>

#include "contract.hpp"

extern char** environ;

using namespace contract;

TEST_CASE("the last error is told until somebody takes it") {  // cudaGetLastError, cudaPeekAtLastError
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue);
  int device = 0;
  CHECK(cudaGetDevice(&device) == cudaSuccess);  // a successful call does not clear it
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("each host thread has its last error") {  // cudaGetLastError
  CHECK(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue);
  cudaError_t of_another = cudaErrorUnknown;
  std::thread{[&] { of_another = cudaGetLastError(); }}.join();
  CHECK(of_another == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("what is not ready is no error: none is told of it, and an earlier one stays") {
  // "not considered an error": Programming Guide, "Error Checking"
  Event event;
  HeldStream stream;
  good(cudaEventRecord(event, stream));
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  CHECK(cudaPeekAtLastError() == cudaSuccess);

  CHECK(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue);
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("errors have names and a line of text") {  // cudaGetErrorName, cudaGetErrorString
  CHECK(cudaGetErrorName(cudaSuccess) == std::string{"cudaSuccess"});
  CHECK(cudaGetErrorName(cudaErrorMemoryAllocation) == std::string{"cudaErrorMemoryAllocation"});
  CHECK(cudaGetErrorName(cudaErrorIllegalAddress) == std::string{"cudaErrorIllegalAddress"});
  CHECK(cudaGetErrorName(cudaErrorNotReady) == std::string{"cudaErrorNotReady"});
  CHECK(cudaGetErrorString(cudaErrorMemoryAllocation) == std::string{"out of memory"});
  CHECK(cudaGetErrorString(cudaSuccess) == std::string{"no error"});
  CHECK(cudaGetErrorName(static_cast<cudaError_t>(1000)) == std::string{"unrecognized error code"});
}

namespace {

/// Runs a test of this program in a process of its own: damage to the context ends with it.
int run_alone(char const* test) {
  std::string self{"/proc/self/exe"}, filter = std::string{"--test-case="} + test, skipped{"--no-skip"},
                                      quiet{"--no-version"};
  char* arguments[]{self.data(), filter.data(), skipped.data(), quiet.data(), nullptr};
  ::pid_t child = 0;
  REQUIRE(::posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ) == 0);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("in a process of its own: a kernel that leaves its memory breaks the context for good" * doctest::skip()) {
  // cudaErrorIllegalAddress
  int calls = 0, right = 0;
  auto const told = [&](char const* call, cudaError_t status) {
    ++calls;
    right += status == cudaErrorIllegalAddress;
    if (status != cudaErrorIllegalAddress) std::printf("%s: %s\n", call, cudaGetErrorName(status));
  };
  Stream stream;
  void *there = nullptr, *more = nullptr;
  good(cudaMalloc(&there, sizeof(int)));
  launch(stream, 1, Store{reinterpret_cast<int*>(0x1000), 1});
  told("waiting", cudaStreamSynchronize(stream));
  told("waiting again", cudaStreamSynchronize(stream));  // and so does every later call, of every thread
  int here = 0;
  told("copying", cudaMemcpy(&here, there, sizeof here, cudaMemcpyDeviceToHost));
  told("allocating", cudaMalloc(&more, 4));
  told("filling", cudaMemsetAsync(there, 0, 4, stream));
  std::thread{[&] { told("waiting for the device", cudaDeviceSynchronize()); }}.join();
  told("the last error", cudaGetLastError());
  bool const is_taken = cudaGetLastError() == cudaSuccess;
  told("and later calls still", cudaStreamSynchronize(stream));
  std::fflush(nullptr);
  std::_Exit(is_taken && right == calls ? 0 : 1);
}

TEST_CASE("an error of a kernel is told by later calls, and stays") {
  if (kernels_are_the_programs_own) {
    MESSAGE("not run under ThreadSanitizer: a kernel that leaves its memory, which is the program's own there");
    return;
  }
  CHECK(run_alone("in a process of its own: a kernel that leaves its memory*") == 0);
}
