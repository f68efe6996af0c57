// A kernel accesses memory of the program that is neither page-locked nor managed: the GPU has no such memory.
#include <memory>

#include "mistake.hpp"

namespace wrong {
namespace {

struct Copy {
  int const* from;
  int* to;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[i]; }
};

char const* const outcome = "wrong data|cudaErrorIllegalAddress";

bool reads(bool cured) {
  std::vector<int> here(count, 7);
  Pinned<int> locked{count};
  fill(locked, 7);
  Device<int> there{count};
  Stream stream;
  launch(stream, count, Copy{cured ? locked.data() : here.data(), there.data()});
  stream.wait();
  return all_are(7, read(there.data(), count));
}
Mistake const of_reads{"kernel_on_pageable: a kernel reads a vector", Caught::by_memory, outcome, reads};

bool reads_much(bool cured) {
  constexpr std::size_t many = 1 << 20;
  std::vector<int> here(many, 7);
  Pinned<int> locked{cured ? many : 1};
  fill(locked, 7);
  Device<int> there{many};
  Stream stream;
  launch(stream, many, Copy{cured ? locked.data() : here.data(), there.data()});
  stream.wait();
  return all_are(7, read(there.data(), many));
}
Mistake const of_reads_much{"kernel_on_pageable: a kernel reads a large vector", Caught::by_memory, outcome,
                            reads_much};

bool writes(bool cured) {
  int here = 0;
  Pinned<int> locked{1};
  Stream stream;
  launch(stream, 1, Store{cured ? locked.data() : &here, 7});
  stream.wait();
  return (cured ? locked[0] : here) == 7;
}
Mistake const of_writes{"kernel_on_pageable: a kernel writes a variable of its caller", Caught::by_memory, outcome,
                        writes};

bool registered_once(bool cured) {
  void* memory = nullptr;
  good(cudaMallocHost(&memory, count * sizeof(int)));
  auto* const here = static_cast<int*>(memory);
  for (std::size_t i = 0; i < count; ++i) here[i] = 7;
  Device<int> there{count};
  Stream stream;
  if (!cured) good(cudaFreeHost(memory));
  launch(stream, count, Copy{here, there.data()});
  stream.wait();
  if (cured) good(cudaFreeHost(memory));
  return all_are(7, read(there.data(), count));
}
Mistake const of_registered_once{"kernel_on_pageable: a kernel reads memory that was page-locked before",
                                 Caught::by_memory, outcome, registered_once};

}  // namespace
}  // namespace wrong
