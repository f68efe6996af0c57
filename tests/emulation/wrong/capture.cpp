// A stream is captured into a graph, and a call ends that: its own thread's, or that of a thread which knows nothing
// of it.
#include <optional>
#include <utility>

#include "mistake.hpp"

namespace wrong {
namespace {

char const* const ended = "cudaErrorStreamCapture";
char const* const invalidated = "cudaErrorStreamCaptureInvalidated";

void end(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  good(cudaStreamEndCapture(stream, &graph));
}

/// Captures while `f` runs in another thread, whose errors are ignored.
template <class F>
bool meanwhile(bool cured, F const& f) {
  Stream stream;
  good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::thread{[&] {
    auto mode = cudaStreamCaptureModeRelaxed;
    if (cured) good(cudaThreadExchangeStreamCaptureMode(&mode));
    f();
    if (cured) good(cudaThreadExchangeStreamCaptureMode(&mode));
  }}.join();
  end(stream);
  return true;
}

bool allocates(bool cured) {
  return meanwhile(cured, [] {
    void* there = nullptr;
    static_cast<void>(cudaMalloc(&there, 100));
    static_cast<void>(cudaFree(there));
  });
}
Mistake const of_allocates{"capture: another thread allocates device memory", Caught::always, invalidated, allocates};

bool page_locks(bool cured) {
  return meanwhile(cured, [] {
    void* here = nullptr;
    static_cast<void>(cudaHostAlloc(&here, 100, cudaHostAllocDefault));
    static_cast<void>(cudaFreeHost(here));
  });
}
Mistake const of_page_locks{"capture: another thread page-locks memory", Caught::always, invalidated, page_locks};

bool polls(bool cured) {
  Stream other;
  Event done;
  good(cudaEventRecord(done, other));
  return meanwhile(cured, [&] { static_cast<void>(cudaEventQuery(done)); });
}
Mistake const of_polls{"capture: another thread asks whether an event is there", Caught::always, invalidated, polls};

bool waits(bool cured) {
  Stream other;
  return meanwhile(cured, [&] { static_cast<void>(cudaStreamSynchronize(other)); });
}
Mistake const of_waits{"capture: another thread waits for a stream of its own", Caught::always, invalidated, waits};

bool waits_for_the_device(bool cured) {
  Stream other;
  return meanwhile(true, [&] { static_cast<void>(cured ? cudaStreamSynchronize(other) : cudaDeviceSynchronize()); });
}
Mistake const of_waits_for_the_device{"capture: another thread waits for the device, in any mode", Caught::always,
                                      invalidated, waits_for_the_device};

bool begins(bool cured) {
  return meanwhile(cured, [] {
    cudaStream_t its = nullptr;
    static_cast<void>(cudaStreamCreateWithFlags(&its, cudaStreamNonBlocking));
    auto mode = cudaStreamCaptureModeRelaxed;
    static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
    if (its) static_cast<void>(cudaStreamDestroy(its));
    static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  });
}
Mistake const of_begins{"capture: another thread makes a stream", Caught::always, invalidated, begins};

bool destroys(bool cured) {
  std::optional<Stream> its{std::in_place};
  return meanwhile(cured, [&] { its.reset(); });
}
Mistake const of_destroys{"capture: another thread's stream ends", Caught::always, invalidated, destroys};

bool copies(bool cured) {
  Device<int> there{count};
  return meanwhile(cured, [&] {
    std::vector<int> here(count);
    static_cast<void>(cudaMemcpy(there.data(), here.data(), there.bytes(), cudaMemcpyHostToDevice));
  });
}
Mistake const of_copies{"capture: another thread copies and waits", Caught::always, invalidated, copies};

bool mode_of_another_thread(bool cured) {
  Stream stream;
  good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  auto mode = cudaStreamCaptureModeRelaxed;
  if (!cured) good(cudaThreadExchangeStreamCaptureMode(&mode));  // here, where nothing is called
  std::thread{[&] {
    if (cured) good(cudaThreadExchangeStreamCaptureMode(&mode));
    void* there = nullptr;
    static_cast<void>(cudaMalloc(&there, 100));
    static_cast<void>(cudaFree(there));
  }}.join();
  end(stream);
  return true;
}
Mistake const of_mode_of_another_thread{"capture: the mode is exchanged in a thread other than the one that calls",
                                        Caught::always, invalidated, mode_of_another_thread};

bool in_its_own_thread(bool cured) {
  Stream stream;
  auto mode = cudaStreamCaptureModeThreadLocal;
  good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  if (cured) {
    mode = cudaStreamCaptureModeRelaxed;
    good(cudaThreadExchangeStreamCaptureMode(&mode));
  }
  Device<int> const there{count};
  end(stream);
  return true;
}
Mistake const of_in_its_own_thread{"capture: its own thread allocates device memory", Caught::always, ended,
                                   in_its_own_thread};

bool ended_elsewhere(bool cured) {
  Stream stream;
  good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  if (cured)
    end(stream);
  else
    std::thread{[&] { end(stream); }}.join();
  return true;
}
Mistake const of_ended_elsewhere{"capture: a thread ends what another began", Caught::always,
                                 "cudaErrorStreamCaptureWrongThread", ended_elsewhere};

}  // namespace
}  // namespace wrong
