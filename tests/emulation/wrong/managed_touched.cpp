// The host accesses managed memory while kernels may run, on a device without concurrent managed access: there any
// kernel is enough, and its end does not help before the host knows of it.
#include <emulation/emulation.hpp>

#include <cstring>

#include "mistake.hpp"

namespace wrong {
namespace {

char const* const touched = "without concurrent managed access";

void set_machine() { emulation::set({.concurrent_managed = false}); }

bool read_while_written(bool cured) {
  set_machine();
  Managed<int> there{count};
  Stream stream;
  launch(stream, count, Store{there.data(), 7});
  if (cured) stream.wait();
  bool const right = there[3] == 7;
  stream.wait();
  return right || !cured;
}
Mistake const of_read_while_written{"managed_touched: the host reads what a kernel writes", Caught::by_memory, touched,
                                    read_while_written};

bool written_while_read(bool cured) {
  set_machine();
  Managed<int> there{count};
  Device<int> other{count};
  Stream stream;
  launch(stream, count, Store{other.data(), there[0] = 7});
  if (cured) stream.wait();
  there[1] = 8;
  stream.wait();
  return there[1] == 8;
}
Mistake const of_written_while_read{"managed_touched: the host writes memory that the kernel has nothing to do with",
                                    Caught::by_memory, touched, written_while_read};

bool memcpys(bool cured) {
  set_machine();
  Managed<int> there{count};
  std::vector<int> here(count, 7);
  Device<int> other{count};
  Stream stream;
  launch(stream, count, Store{other.data(), 7});
  if (cured) good(cudaDeviceSynchronize());
  std::memcpy(there.data(), here.data(), there.bytes());
  stream.wait();
  return all_are(7, there.data(), count);
}
Mistake const of_memcpys{"managed_touched: std::memcpy into managed memory behind a launch", Caught::by_memory, touched,
                         memcpys};

bool another_stream(bool cured) {
  set_machine();
  Managed<int> there{count}, other{count};
  Stream first, second;
  launch(first, count, Store{there.data(), 7});
  launch(second, count, Store{other.data(), 7});
  first.wait();
  if (cured) second.wait();
  bool const right = there[0] == 7;
  second.wait();
  return right;
}
Mistake const of_another_stream{"managed_touched: one of two streams is waited for", Caught::by_memory, touched,
                                another_stream};

bool event_before(bool cured) {
  set_machine();
  Managed<int> there{count};
  Stream stream;
  Event event;
  if (!cured) good(cudaEventRecord(event, stream));
  launch(stream, count, Store{there.data(), 7});
  if (cured) good(cudaEventRecord(event, stream));
  good(cudaEventSynchronize(event));
  bool const right = there[0] == 7;
  stream.wait();
  return right;
}
Mistake const of_event_before{"managed_touched: the event that is waited for lies before the kernel", Caught::by_memory,
                              touched, event_before};

bool event_between_streams(bool cured) {
  set_machine();
  Managed<int> there{count};
  Stream first, second;
  Event event, last;
  launch(first, count, Store{there.data(), 7});
  if (cured) good(cudaEventRecord(event, first));
  good(cudaStreamWaitEvent(second, event, 0));
  launch(second, 1, Store{there.data(), 8});
  good(cudaEventRecord(last, second));
  while (cudaEventQuery(last) == cudaErrorNotReady) {
  }
  bool const right = there[1] == 7 && there[0] == 8;
  first.wait();
  return right;
}
Mistake const of_event_between_streams{"managed_touched: the second stream does not wait for the first one",
                                       Caught::by_memory, touched, event_between_streams};

bool allocated_meanwhile(bool cured) {
  set_machine();
  Device<int> other{count};
  Stream stream;
  launch(stream, count, Store{other.data(), 7});
  Managed<int> there{count};
  if (cured) stream.wait();
  there[0] = 1;
  stream.wait();
  return true;
}
Mistake const of_allocated_meanwhile{"managed_touched: memory that was made while the kernel may run",
                                     Caught::by_memory, touched, allocated_meanwhile};

bool polled_once(bool cured) {
  set_machine();
  Managed<int> there{count}, other{count};
  Stream first, second;
  launch(first, count, Store{there.data(), 7});
  launch(second, count, Store{other.data(), 7});
  while (cudaStreamQuery(cured ? first : second) == cudaErrorNotReady) {
  }
  while (cudaStreamQuery(second) == cudaErrorNotReady) {
  }
  bool const right = there[0] == 7;
  first.wait();
  return right;
}
Mistake const of_polled_once{"managed_touched: one of two streams is asked", Caught::by_memory, touched, polled_once};

bool in_another_thread(bool cured) {
  set_machine();
  Managed<int> there{count};
  Device<int> other{count};
  Stream stream;
  launch(stream, count, Store{other.data(), 7});
  if (cured) stream.wait();
  std::thread{[&] { there[0] = 1; }}.join();
  stream.wait();
  return there[0] == 1;
}
Mistake const of_in_another_thread{"managed_touched: by a thread that launched nothing", Caught::by_memory, touched,
                                   in_another_thread};

bool attached_to_host(bool cured) {
  set_machine();
  int* there = nullptr;
  good(cudaMallocManaged(reinterpret_cast<void**>(&there), sizeof(int),
                         cured ? cudaMemAttachGlobal : cudaMemAttachHost));
  Stream stream;
  launch(stream, 1, Store{there, 7});
  stream.wait();
  good(cudaFree(there));
  return true;
}
Mistake const of_attached_to_host{"managed_touched: a kernel writes memory that is attached to the host",
                                  Caught::by_memory, "attached to the host", attached_to_host};

bool before_a_host_function(bool cured) {
  set_machine();
  Managed<int> there{count}, other{count};
  Stream first, second;
  launch(first, count, Store{there.data(), 7});
  if (!cured) launch(second, 1, Store{other.data(), 7});
  good(cudaLaunchHostFunc(
      first, [](void* at) { *static_cast<int*>(at) += 1; }, there.data()));
  first.wait();
  second.wait();
  return there[0] == 8;
}
Mistake const of_before_a_host_function{"managed_touched: by a host function while another stream has a kernel",
                                        Caught::by_memory, touched, before_a_host_function};

}  // namespace
}  // namespace wrong
