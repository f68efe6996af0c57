// Memory is reused before a copy has read it.
#include "mistake.hpp"

namespace wrong {
namespace {

bool at_once(bool cured) {
  Device<int> there{count};
  Pinned<int> here{count};
  fill(here, 7);
  Stream stream;
  good(cudaMemcpyAsync(there.data(), here.data(), here.bytes(), cudaMemcpyHostToDevice, stream));
  if (cured) stream.wait();
  fill(here, 0);
  stream.wait();
  return all_are(7, read(there.data(), count));
}
Mistake const of_at_once{"source_overwritten: page-locked memory is written before the copy out of it is done",
                         Caught::by_order, wrong_data, at_once};

bool ring(bool cured) {
  constexpr std::size_t blocks = 3, chunks = 12;
  Device<int> there{chunks * count};
  Pinned<int> here{blocks * count};
  Stream stream;
  Event copied[blocks];
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    auto const block = chunk % blocks;
    if (cured) good(cudaEventSynchronize(copied[block]));
    for (std::size_t i = 0; i < count; ++i) here[block * count + i] = static_cast<int>(chunk);
    good(cudaMemcpyAsync(there.data() + chunk * count, here.data() + block * count, count * sizeof(int),
                         cudaMemcpyHostToDevice, stream));
    good(cudaEventRecord(copied[block], stream));
  }
  stream.wait();
  auto const now = read(there.data(), chunks * count);
  bool right = true;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    right = right && all_are(static_cast<int>(chunk), now.data() + chunk * count, count);
  return right;
}
Mistake const of_ring{"source_overwritten: a ring of three blocks goes round without waiting for the block's event",
                      Caught::by_order, wrong_data, ring};

bool managed(bool cured) {
  struct Copy {
    int const* from;
    int* to;
    TESSERA_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[i]; }
  };
  Managed<int> from{count}, to{count};
  for (std::size_t i = 0; i < count; ++i) from[i] = 7;
  Stream stream;
  launch(stream, count, Copy{from.data(), to.data()});
  if (cured) stream.wait();
  for (std::size_t i = 0; i < count; ++i) from[i] = 0;
  stream.wait();
  return all_are(7, to.data(), count);
}
Mistake const of_managed{"source_overwritten: managed memory is written before the kernel that reads it is done",
                         Caught::by_order, wrong_data, managed};

bool argument(bool cured) {
  struct Step {
    int value;
    std::vector<int>* taken;
  };
  auto const take = [](void* at) {
    auto const& step = *static_cast<Step*>(at);
    step.taken->push_back(step.value);
  };
  std::vector<int> taken;
  taken.reserve(3);
  // Not a local variable: clang++'s ThreadSanitizer does not see each write to a member of those.
  std::vector<Step> steps{{0, &taken}};
  Step& step = steps.front();
  Stream stream;
  for (int i = 0; i < 3; ++i) {
    step.value = i;
    good(cudaLaunchHostFunc(stream, take, &step));
    if (cured) stream.wait();
  }
  stream.wait();
  return taken == std::vector<int>{0, 1, 2};
}
Mistake const of_argument{"source_overwritten: the argument of a host function changes before it runs",
                          Caught::by_order, wrong_data, argument};

}  // namespace
}  // namespace wrong
