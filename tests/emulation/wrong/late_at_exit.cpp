// Work fails, and the program ends without a check: its stream is destroyed, and the work may run after all of its
// calls.
#include "mistake.hpp"

namespace wrong {
namespace {

char const* const unasked = "no call has told it";

int* far_behind(Device<int> const& memory) { return memory.data() + (std::size_t{1} << 26); }

bool kernel_of_a_destroyed_stream(bool cured) {
  Device<int> there{count};
  {
    Stream stream;
    launch(stream, 1, Store{cured ? there.data() : far_behind(there), 7});
  }
  return true;
}
Mistake const of_kernel_of_a_destroyed_stream{"late_at_exit: a kernel of a stream that is destroyed at once",
                                              Caught::by_memory, unasked, kernel_of_a_destroyed_stream};

// A free waits for the device; a free in a stream does not.
bool kernel_behind_all(bool cured) {
  static Stream stream;
  void* memory = nullptr;
  good(cudaMallocAsync(&memory, sizeof(int), stream));
  auto* const there = static_cast<int*>(memory);
  if (!cured) good(cudaFreeAsync(there, stream));
  launch(stream, 1, Store{there, 7});
  if (cured) good(cudaFreeAsync(there, stream));
  return true;
}
Mistake const of_kernel_behind_all{"late_at_exit: a kernel that nothing waits for writes memory that is freed",
                                   Caught::by_memory, unasked, kernel_behind_all};

}  // namespace
}  // namespace wrong
