// Something is made and never freed.
#include "mistake.hpp"

namespace wrong {
namespace {

bool device(bool cured) {
  void* there = nullptr;
  good(cudaMalloc(&there, 100));
  if (cured) good(cudaFree(there));
  return true;
}
Mistake const of_device{"leak: device memory", Caught::always, "leak", device};

bool page_locked(bool cured) {
  void* here = nullptr;
  good(cudaMallocHost(&here, 100));
  if (cured) good(cudaFreeHost(here));
  return true;
}
Mistake const of_page_locked{"leak: page-locked memory", Caught::always, "leak", page_locked};

bool managed(bool cured) {
  void* there = nullptr;
  good(cudaMallocManaged(&there, 100));
  if (cured) good(cudaFree(there));
  return true;
}
Mistake const of_managed{"leak: managed memory", Caught::always, "leak", managed};

bool of_a_stream(bool cured) {
  Stream stream;
  void* there = nullptr;
  good(cudaMallocAsync(&there, 100, stream));
  if (cured) good(cudaFreeAsync(there, stream));
  stream.wait();
  return true;
}
Mistake const its_a_stream{"leak: memory of a stream", Caught::always, "leak", of_a_stream};

bool registered(bool cured) {
  static std::vector<char> here(10000);
  good(cudaHostRegister(here.data(), here.size(), cudaHostRegisterDefault));
  if (cured) good(cudaHostUnregister(here.data()));
  return true;
}
Mistake const of_registered{"leak: memory that stays registered", Caught::always, "leak", registered};

bool stream(bool cured) {
  cudaStream_t made = nullptr;
  good(cudaStreamCreate(&made));
  if (cured) good(cudaStreamDestroy(made));
  return true;
}
Mistake const of_stream{"leak: a stream", Caught::always, "leak", stream};

bool event(bool cured) {
  cudaEvent_t made = nullptr;
  good(cudaEventCreate(&made));
  if (cured) good(cudaEventDestroy(made));
  return true;
}
Mistake const of_event{"leak: an event", Caught::always, "leak", event};

bool pool(bool cured) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t made = nullptr;
  good(cudaMemPoolCreate(&made, &properties));
  if (cured) good(cudaMemPoolDestroy(made));
  return true;
}
Mistake const of_pool{"leak: a pool", Caught::always, "leak", pool};

}  // namespace
}  // namespace wrong
