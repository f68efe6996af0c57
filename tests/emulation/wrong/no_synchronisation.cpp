// The host reads before the stream is done.
#include "mistake.hpp"

namespace wrong {
namespace {

bool to_page_locked(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  if (cured) stream.wait();
  bool const right = all_are(7, here.data(), count);
  stream.wait();
  return right;
}
Mistake const of_to_page_locked{"no_synchronisation: a copy to page-locked memory is not waited for", Caught::by_order,
                                wrong_data, to_page_locked};

bool of_kernel(bool cured) {
  Managed<int> there{count};
  for (std::size_t i = 0; i < count; ++i) there[i] = 0;
  Stream stream;
  launch(stream, count, Store{there.data(), 7});
  if (cured) stream.wait();
  bool const right = all_are(7, there.data(), count);
  stream.wait();
  return right;
}
Mistake const its_kernel{"no_synchronisation: a kernel that writes managed memory is not waited for", Caught::by_order,
                         wrong_data, of_kernel};

bool of_fill(bool cured) {
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream;
  good(cudaMemsetAsync(here.data(), 1, here.bytes(), stream));
  if (cured) stream.wait();
  bool const right = all_are(0x01010101, here.data(), count);
  stream.wait();
  return right;
}
Mistake const its_fill{"no_synchronisation: a fill of page-locked memory is not waited for", Caught::by_order,
                       wrong_data, of_fill};

bool asked_only(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  while (cudaStreamQuery(stream) == cudaErrorNotReady && cured) {
  }
  bool const right = all_are(7, here.data(), count);
  stream.wait();
  return right;
}
Mistake const of_asked_only{"no_synchronisation: that the stream is not ready is not heeded", Caught::by_answer,
                            wrong_data, asked_only};

bool host_function(bool cured) {
  int value = 0;
  Stream stream;
  good(cudaLaunchHostFunc(
      stream, [](void* at) { *static_cast<int*>(at) = 7; }, &value));
  if (cured) stream.wait();
  bool const right = value == 7;
  stream.wait();
  return right;
}
Mistake const of_host_function{"no_synchronisation: a host function is not waited for", Caught::by_order, wrong_data,
                               host_function};

bool event_before(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream;
  Event done;
  if (!cured) good(cudaEventRecord(done, stream));
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  if (cured) good(cudaEventRecord(done, stream));
  good(cudaEventSynchronize(done));
  bool const right = all_are(7, here.data(), count);
  stream.wait();
  return right;
}
Mistake const of_event_before{"no_synchronisation: the event that is waited for was recorded before the copy",
                              Caught::by_order, wrong_data, event_before};

bool other_thread(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  if (cured) stream.wait();
  bool right = false;
  std::thread{[&] { right = all_are(7, here.data(), count); }}.join();
  stream.wait();
  return right;
}
Mistake const of_other_thread{
    "no_synchronisation: another host thread reads what the stream's thread has not waited for", Caught::by_order,
    wrong_data, other_thread};

}  // namespace
}  // namespace wrong
