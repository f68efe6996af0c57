// Memory is used before it exists, or after it is freed, in the order of the streams.
#include "mistake.hpp"

namespace wrong {
namespace {

char const* const gone = "use after free|freed|cudaErrorIllegalAddress|cudaErrorInvalidValue";

int* allocate(cudaStream_t stream) {
  void* memory = nullptr;
  good(cudaMallocAsync(&memory, count * sizeof(int), stream));
  return static_cast<int*>(memory);
}

bool copy(bool cured) {
  Pinned<int> here{count};
  Stream stream;
  int* const there = allocate(stream);
  good(cudaMemsetAsync(there, 1, here.bytes(), stream));
  if (!cured) good(cudaFreeAsync(there, stream));
  good(cudaMemcpyAsync(here.data(), there, here.bytes(), cudaMemcpyDeviceToHost, stream));
  if (cured) good(cudaFreeAsync(there, stream));
  stream.wait();
  return all_are(0x01010101, here.data(), count);
}
Mistake const of_copy{"use_after_free: memory is freed in its stream before the copy out of it", Caught::always, gone,
                      copy};

bool kernel(bool cured) {
  Stream stream;
  int* const there = allocate(stream);
  if (!cured) good(cudaFreeAsync(there, stream));
  launch(stream, count, Store{there, 7});
  if (cured) good(cudaFreeAsync(there, stream));
  stream.wait();
  return true;
}
Mistake const of_kernel{"use_after_free: a kernel writes memory that its stream has freed", Caught::by_memory, gone,
                        kernel};

bool kernel_after_free(bool cured) {
  int* there = nullptr;
  good(cudaMalloc(reinterpret_cast<void**>(&there), count * sizeof(int)));
  Stream stream;
  if (!cured) good(cudaFree(there));
  launch(stream, count, Store{there, 7});
  stream.wait();
  if (cured) good(cudaFree(there));
  return true;
}
Mistake const of_kernel_after_free{"use_after_free: a kernel writes memory that cudaFree has freed", Caught::by_memory,
                                   gone, kernel_after_free};

bool copy_after_free(bool cured) {
  int* there = nullptr;
  good(cudaMalloc(reinterpret_cast<void**>(&there), count * sizeof(int)));
  good(cudaMemset(there, 1, count * sizeof(int)));
  if (!cured) good(cudaFree(there));
  std::vector<int> here(count);
  good(cudaMemcpy(here.data(), there, count * sizeof(int), cudaMemcpyDeviceToHost));
  if (cured) good(cudaFree(there));
  return all_are(0x01010101, here);
}
Mistake const of_copy_after_free{"use_after_free: memory that cudaFree has freed is copied from", Caught::always, gone,
                                 copy_after_free};

bool freed_elsewhere(bool cured) {
  Pinned<int> here{count};
  Stream owner, reader;
  Event made, read;
  int* const there = allocate(owner);
  good(cudaMemsetAsync(there, 1, here.bytes(), owner));
  good(cudaEventRecord(made, owner));
  good(cudaStreamWaitEvent(reader, made, 0));
  good(cudaMemcpyAsync(here.data(), there, here.bytes(), cudaMemcpyDeviceToHost, reader));
  good(cudaEventRecord(read, reader));
  if (cured) good(cudaStreamWaitEvent(owner, read, 0));
  good(cudaFreeAsync(there, owner));
  owner.wait();
  reader.wait();
  return all_are(0x01010101, here.data(), count);
}
Mistake const of_freed_elsewhere{"use_after_free: a stream frees memory that another may still read", Caught::by_order,
                                 gone, freed_elsewhere};

bool before_it_is_there(bool cured) {
  Pinned<int> here{2 * count};
  fill(here, 7);
  Stream owner, user;
  Event made, used;
  int* const there = allocate(owner);
  good(cudaEventRecord(made, owner));
  if (cured) good(cudaStreamWaitEvent(user, made, 0));
  good(cudaMemcpyAsync(there, here.data(), count * sizeof(int), cudaMemcpyHostToDevice, user));
  good(cudaMemcpyAsync(here.data() + count, there, count * sizeof(int), cudaMemcpyDeviceToHost, user));
  good(cudaEventRecord(used, user));
  user.wait();
  good(cudaStreamWaitEvent(owner, used, 0));
  good(cudaFreeAsync(there, owner));
  owner.wait();
  return all_are(7, here.data(), 2 * count);
}
Mistake const of_before_it_is_there{"use_after_free: a stream uses memory before another has allocated it",
                                    Caught::by_order, "before|use after free|not allocated|wrong data",
                                    before_it_is_there};

bool freed_without_waiting(bool cured) {
  Pinned<int> here{count};
  Stream stream;
  int* const there = allocate(stream);
  good(cudaMemsetAsync(there, 1, here.bytes(), stream));
  good(cudaMemcpyAsync(here.data(), there, here.bytes(), cudaMemcpyDeviceToHost, stream));
  if (cured) stream.wait();
  good(cudaFree(there));
  stream.wait();
  return all_are(0x01010101, here.data(), count);
}
Mistake const of_freed_without_waiting{
    "use_after_free: cudaFree, which does not wait for memory of a stream, before the stream is done", Caught::by_order,
    gone, freed_without_waiting};

bool page_locked(bool cured) {
  void* memory = nullptr;
  good(cudaMallocHost(&memory, sizeof(int)));
  auto* const here = static_cast<int volatile*>(memory);
  *here = 7;
  if (!cured) good(cudaFreeHost(memory));
  int const value = *here;
  if (cured) good(cudaFreeHost(memory));
  return value == 7;
}
Mistake const of_page_locked{"use_after_free: the host reads page-locked memory that it has freed", Caught::by_memory,
                             "freed|after free", page_locked};

}  // namespace
}  // namespace wrong
