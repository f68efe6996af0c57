#include "injection.hpp"

#include <array>
#include <string_view>

#include <emulation/emulation.hpp>

#include "world.hpp"

namespace emulation {
namespace {

struct Plan {
  bool armed = false;
  bool failed = false;
  std::size_t left = 0;
  cudaError_t error = cudaSuccess;
  std::string call;
};

Plan& plan() {
  static Plan& only = *new Plan;
  return only;
}

/// Errors that CUDA's documentation lists for a group of functions, those first that leave the context alive.
struct Group {
  std::array<std::string_view, 3> beginnings;
  std::array<cudaError_t, 4> errors;
};

constexpr std::array<Group, 12> groups{{
    {{"cuStreamGetCtx", "-", "-"}, {cudaErrorContextIsDestroyed, cudaErrorInvalidResourceHandle}},
    {{"cudaMallocAsync", "cudaMallocFromPoolAsync", "cudaMemPoolCreate"},
     {cudaErrorMemoryAllocation, cudaErrorNotSupported, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"cudaMalloc", "cudaHostAlloc", "cudaHostRegister"},
     {cudaErrorMemoryAllocation, cudaErrorNotSupported, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"cudaFree", "cudaHostUnregister", "cudaMemPool"},
     {cudaErrorInvalidValue, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"cudaMemcpy", "cudaMemset", "cudaMemPrefetch"},
     {cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"cudaStreamCreate", "cudaEventCreate", "-"},
     {cudaErrorMemoryAllocation, cudaErrorInvalidValue, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize"},
     {cudaErrorUnknown, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"cudaStream", "cudaEvent", "cudaLaunchHostFunc"},
     {cudaErrorInvalidResourceHandle, cudaErrorInvalidValue, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"emulatedLaunch", "-", "-"},
     {cudaErrorLaunchOutOfResources, cudaErrorInvalidConfiguration, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"cudaSetDevice", "cudaGetDevice", "cudaDevice"},
     {cudaErrorInvalidDevice, cudaErrorDevicesUnavailable, cudaErrorInitializationError}},
    {{"cudaPointerGetAttributes", "cudaHostGetDevicePointer", "cudaMemGetInfo"},
     {cudaErrorInvalidValue, cudaErrorIllegalAddress, cudaErrorLaunchFailure}},
    {{"", "", ""}, {cudaErrorUnknown}},
}};

Group const& group_of(std::string_view call) {
  for (Group const& group : groups) {
    for (std::string_view const beginning : group.beginnings) {
      if (call.starts_with(beginning)) return group;
    }
  }
  return groups.back();
}

}  // namespace

cudaError_t injection::next(char const* call) {
  Plan& next = plan();
  if (!next.armed) return cudaSuccess;
  if (next.left != 0) {
    --next.left;
    return cudaSuccess;
  }
  next.armed = false;
  next.failed = true;
  next.call = call;
  return next.error != cudaSuccess ? next.error : group_of(call).errors.front();
}

void fail(std::size_t k, cudaError_t error) {
  Held const held;
  plan() = {.armed = true, .failed = false, .left = k, .error = error, .call = {}};
}

void fail_nothing() {
  Held const held;
  plan().armed = false;
}

bool has_failed() {
  Held const held;
  return plan().failed;
}

std::string failed_call() {
  Held const held;
  return plan().call;
}

std::vector<cudaError_t> errors_of(char const* call) {
  std::vector<cudaError_t> errors;
  for (cudaError_t const error : group_of(call).errors) {
    if (error != cudaSuccess) errors.push_back(error);
  }
  return errors;
}

}  // namespace emulation
