// A stream or an event is used after it is destroyed.
#include "mistake.hpp"

namespace wrong {
namespace {

bool stream(bool cured) {
  Pinned<int> here{1};
  cudaStream_t made = nullptr;
  good(cudaStreamCreate(&made));
  if (!cured) good(cudaStreamDestroy(made));
  good(cudaMemsetAsync(here.data(), 0, sizeof(int), made));
  good(cudaStreamSynchronize(made));
  if (cured) good(cudaStreamDestroy(made));
  return true;
}
Mistake const of_stream{"wrong_handle: a stream is used that was destroyed", Caught::always,
                        "cudaErrorInvalidResourceHandle|destroyed", stream};

bool event(bool cured) {
  Stream made;
  cudaEvent_t gone = nullptr;
  good(cudaEventCreate(&gone));
  if (!cured) good(cudaEventDestroy(gone));
  good(cudaEventRecord(gone, made));
  if (cured) good(cudaEventDestroy(gone));
  made.wait();
  return true;
}
Mistake const of_event{"wrong_handle: an event is recorded that was destroyed", Caught::always,
                       "cudaErrorInvalidResourceHandle|destroyed", event};

bool twice(bool cured) {
  cudaStream_t made = nullptr;
  good(cudaStreamCreate(&made));
  good(cudaStreamDestroy(made));
  if (!cured) good(cudaStreamDestroy(made));
  return true;
}
Mistake const of_twice{"wrong_handle: a stream is destroyed twice", Caught::always,
                       "cudaErrorInvalidResourceHandle|destroyed", twice};

bool not_waited_for(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{count};
  fill(here, 0);
  cudaStream_t made = nullptr;
  good(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, made));
  if (cured) good(cudaStreamSynchronize(made));
  good(cudaStreamDestroy(made));
  bool const right = all_are(7, here.data(), count);
  good(cudaDeviceSynchronize());
  return right;
}
Mistake const of_not_waited_for{"wrong_handle: destroying a stream is taken for waiting for it", Caught::by_order,
                                wrong_data, not_waited_for};

}  // namespace
}  // namespace wrong
