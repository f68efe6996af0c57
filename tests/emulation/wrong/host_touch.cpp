// Host code reads or writes device memory.
#include <algorithm>
#include <cstring>

#include "mistake.hpp"

namespace wrong {
namespace {

bool reads(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  int const value = cured ? read(there.data() + 3, 1)[0] : there[3];
  return value == 7;
}
Mistake const of_reads{"host_touch: the host reads device memory", Caught::by_memory, host_touch, reads};

bool writes(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  if (cured)
    write(there.data(), {8});
  else
    there[0] = 8;
  return read(there.data(), 1)[0] == 8;
}
Mistake const of_writes{"host_touch: the host writes device memory", Caught::by_memory, host_touch, writes};

bool memcpys(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  std::vector<int> here(count);
  if (cured)
    good(cudaMemcpy(here.data(), there.data(), there.bytes(), cudaMemcpyDeviceToHost));
  else
    std::memcpy(here.data(), there.data(), there.bytes());
  return all_are(7, here);
}
Mistake const of_memcpys{"host_touch: std::memcpy out of device memory", Caught::by_memory, host_touch, memcpys};

bool while_working(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Stream stream;
  launch(stream, count, Store{there.data(), 8});
  if (!cured) return there[0] == 8;
  stream.wait();
  return read(there.data(), 1)[0] == 8;
}
Mistake const of_while_working{"host_touch: the host reads device memory while a stream works on it", Caught::by_memory,
                               host_touch, while_working};

bool of_a_stream(bool cured) {
  Stream stream;
  int* there = nullptr;
  good(cudaMallocAsync(reinterpret_cast<void**>(&there), sizeof(int), stream));
  good(cudaMemsetAsync(there, 1, sizeof(int), stream));
  stream.wait();
  int const value = cured ? read(there, 1)[0] : *there;
  good(cudaFreeAsync(there, stream));
  stream.wait();
  return value == 0x01010101;
}
Mistake const its_a_stream{"host_touch: the host reads memory of a stream's pool", Caught::by_memory, host_touch,
                           of_a_stream};

bool in_a_host_function(bool cured) {
  struct Reading {
    int const* from;
    int value;
  };
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{1};
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  Reading reading{cured ? here.data() : there.data(), 0};
  good(cudaLaunchHostFunc(
      stream,
      [](void* at) {
        auto& self = *static_cast<Reading*>(at);
        self.value = *self.from;
      },
      &reading));
  stream.wait();
  return reading.value == 7;
}
Mistake const of_in_a_host_function{"host_touch: a host function reads device memory", Caught::by_memory, host_touch,
                                    in_a_host_function};

bool in_another_thread(bool cured) {
  Device<int> there{count};
  std::thread{[&] {
    if (cured)
      good(cudaMemset(there.data(), 0, there.bytes()));
    else
      std::fill_n(there.data(), count, 0);
  }}.join();
  return all_are(0, read(there.data(), count));
}
Mistake const of_in_another_thread{"host_touch: another host thread writes device memory", Caught::by_memory,
                                   host_touch, in_another_thread};

}  // namespace
}  // namespace wrong
