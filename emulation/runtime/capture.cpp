// From "Stream Management" of CUDA's runtime API manual: cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode.
#include "capture.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

#include "contexts.hpp"
#include "entry.hpp"
#include "report.hpp"

using namespace emulation;

namespace {

/// "Potentially unsafe API calls". The manual has examples, not a list: these wait, allocate for the whole device, or
/// make streams and pools.
constexpr std::array<std::string_view, 27> unsafe{
    "cudaMalloc",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaMallocManaged",
    "cudaFree",
    "cudaFreeHost",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaMemcpy",
    "cudaMemset",
    "cudaEventQuery",
    "cudaEventSynchronize",
    "cudaStreamQuery",
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaMemPoolCreate",
    "cudaMemPoolDestroy",
    "cudaMemPoolTrimTo",
    "cudaStreamDestroy",
    "cudaStreamCreate",
    "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",
    "cudaMemPoolSetAttribute",
    "cudaMemPoolImportFromShareableHandle",
    "cudaMemPoolImportPointer",
    "cudaIpcOpenMemHandle",
    "cudaIpcCloseMemHandle",
};

cudaStreamCaptureMode& mode_of_thread() {
  thread_local auto mode = cudaStreamCaptureModeGlobal;
  return mode;
}

bool end_captures_of(int device) {
  bool has_some = false;
  for (auto const& stream : world().streams.all()) {
    if (stream->device != device || stream->capture == cudaStreamCaptureStatusNone) continue;
    stream->capture = cudaStreamCaptureStatusInvalidated;
    has_some = true;
  }
  return has_some;
}

}  // namespace

bool capture::prohibits(char const* call) {
  // Programming Guide, "Prohibited and Unhandled Operations": whatever the modes are.
  if (call == std::string_view{"cudaDeviceSynchronize"} && end_captures_of(current_device())) return true;
  if (mode_of_thread() == cudaStreamCaptureModeRelaxed) return false;
  if (std::find(unsafe.begin(), unsafe.end(), call) == unsafe.end()) return false;
  bool prohibited = false;
  for (auto const& stream : world().streams.all()) {
    if (stream->capture != cudaStreamCaptureStatusActive) continue;
    bool const mine = stream->captured_by == std::this_thread::get_id();
    bool const of_all = stream->capture_mode == cudaStreamCaptureModeGlobal;
    bool const matters = mine ? stream->capture_mode != cudaStreamCaptureModeRelaxed
                              : of_all && mode_of_thread() == cudaStreamCaptureModeGlobal;
    if (!matters) continue;
    stream->capture = cudaStreamCaptureStatusInvalidated;
    prohibited = true;
  }
  return prohibited;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return enter("cudaThreadExchangeStreamCaptureMode", Role::sure, [&](Entry&) {
    if (mode == nullptr) return cudaErrorInvalidValue;
    std::swap(*mode, mode_of_thread());
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return enter("cudaStreamIsCapturing", Role::work, [&](Entry& entry) {
    Stream const* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    entry.tell_stream(*stream);
    *status = stream->capture;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return enter("cudaStreamBeginCapture", Role::work, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture != cudaStreamCaptureStatusNone) return cudaErrorIllegalState;
    entry.tell_stream(*stream);
    stream->capture = cudaStreamCaptureStatusActive;
    stream->capture_mode = mode;
    stream->captured_by = std::this_thread::get_id();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return enter("cudaStreamEndCapture", Role::work, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (graph != nullptr) *graph = nullptr;  // nothing was captured
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    entry.tell_stream(*stream);
    auto const was = std::exchange(stream->capture, cudaStreamCaptureStatusNone);
    if (was == cudaStreamCaptureStatusNone) return cudaErrorIllegalState;
    if (was == cudaStreamCaptureStatusInvalidated) return cudaErrorStreamCaptureInvalidated;
    if (stream->capture_mode != cudaStreamCaptureModeRelaxed && stream->captured_by != std::this_thread::get_id()) {
      return cudaErrorStreamCaptureWrongThread;
    }
    return cudaSuccess;
  });
}
