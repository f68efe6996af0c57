// Uninitialised memory is read: a GPU returns older contents, which are often the wanted ones.
#include "mistake.hpp"

namespace wrong {
namespace {

bool fresh(bool cured) {
  Device<int> there{count};
  if (cured) fill(there, 0);
  return all_are(0, read(there.data(), count));
}
Mistake const of_fresh{"not_written: new device memory is taken to be zero", Caught::always, wrong_data, fresh};

bool again(bool cured) {
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream;
  int* there = nullptr;
  for (int round = 0; round < 2; ++round) {
    good(cudaMallocAsync(reinterpret_cast<void**>(&there), here.bytes(), stream));
    if (round == 0 || cured) good(cudaMemsetAsync(there, 1, here.bytes(), stream));
    if (round == 1) good(cudaMemcpyAsync(here.data(), there, here.bytes(), cudaMemcpyDeviceToHost, stream));
    good(cudaFreeAsync(there, stream));
  }
  stream.wait();
  return all_are(0x01010101, here.data(), count);
}
Mistake const of_again{"not_written: memory of a stream is taken to hold what was freed before it", Caught::always,
                       wrong_data, again};

}  // namespace
}  // namespace wrong
