// Memory is freed twice, or by the wrong function.
#include "mistake.hpp"

namespace wrong {
namespace {

char const* const refused = "double free|which is|which no call allocated";

bool device(bool cured) {
  void* there = nullptr;
  good(cudaMalloc(&there, 100));
  good(cudaFree(there));
  if (!cured) good(cudaFree(there));
  return true;
}
Mistake const of_device{"freed_twice: cudaFree", Caught::always, refused, device};

bool page_locked(bool cured) {
  void* here = nullptr;
  good(cudaMallocHost(&here, 100));
  good(cudaFreeHost(here));
  if (!cured) good(cudaFreeHost(here));
  return true;
}
Mistake const of_page_locked{"freed_twice: cudaFreeHost", Caught::always, refused, page_locked};

bool in_a_stream(bool cured) {
  Stream stream;
  void* there = nullptr;
  good(cudaMallocAsync(&there, 100, stream));
  good(cudaFreeAsync(there, stream));
  if (!cured) good(cudaFreeAsync(there, stream));
  stream.wait();
  return true;
}
Mistake const of_in_a_stream{"freed_twice: cudaFreeAsync", Caught::always, refused, in_a_stream};

bool by_both(bool cured) {
  Stream stream;
  void* there = nullptr;
  good(cudaMallocAsync(&there, 100, stream));
  good(cudaFreeAsync(there, stream));
  stream.wait();
  if (!cured) good(cudaFree(there));
  return true;
}
Mistake const of_by_both{"freed_twice: cudaFreeAsync and cudaFree", Caught::always, refused, by_both};

bool inside(bool cured) {
  char* there = nullptr;
  good(cudaMalloc(reinterpret_cast<void**>(&there), 1000));
  if (!cured) good(cudaFree(there + 256));
  good(cudaFree(there));
  return true;
}
Mistake const of_inside{"freed_twice: an address within an allocation", Caught::always, refused, inside};

bool of_the_host(bool cured) {
  void* here = nullptr;
  good(cudaMallocHost(&here, 100));
  if (!cured) good(cudaFree(here));
  good(cudaFreeHost(here));
  return true;
}
Mistake const its_the_host{"freed_twice: cudaFree of page-locked memory", Caught::always, refused, of_the_host};

bool of_the_device(bool cured) {
  void* there = nullptr;
  good(cudaMalloc(&there, 100));
  if (!cured) good(cudaFreeHost(there));
  good(cudaFree(there));
  return true;
}
Mistake const its_the_device{"freed_twice: cudaFreeHost of device memory", Caught::always, refused, of_the_device};

bool cached(bool cured) {
  void* there = nullptr;
  good(cudaMalloc(&there, 100));
  void* const other = there;
  good(cudaFree(there));
  void* more = nullptr;  // which must not get the address that was just freed
  good(cudaMalloc(&more, 100));
  if (!cured) good(cudaFree(other));
  good(cudaFree(more));
  return true;
}
Mistake const of_cached{"freed_twice: of two owners of one allocation, each frees it", Caught::always, refused, cached};

}  // namespace
}  // namespace wrong
