// A kernel that relies on the order of its indices, which a GPU has none of.
#include "mistake.hpp"

namespace wrong {
namespace {

/// Copies each element from the one before it.
struct FromTheOneBefore {
  int* data;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const {
    if (i > 0) data[i] = data[i - 1];
  }
};

bool reads_another_index(bool cured) {
  Device<int> there{count};
  fill(there, 0);
  Pinned<int> here{count};
  Stream stream;
  launch(stream, 1, Store{there.data(), 7});
  if (cured)
    launch(stream, count, Store{there.data(), 7});
  else
    launch(stream, count, FromTheOneBefore{there.data()});
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  return all_are(7, here.data(), count);
}
Mistake const of_reads_another_index{"order_of_indices: an index reads what another one of the same kernel wrote",
                                     Caught::by_answer, wrong_data, reads_another_index};

}  // namespace
}  // namespace wrong
