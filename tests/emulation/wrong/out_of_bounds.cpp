// Work leaves its allocation.
#include "mistake.hpp"

namespace wrong {
namespace {

bool kernel_far(bool cured) {
  Device<int> there{count};
  Stream stream;
  launch(stream, 1, Store{there.data() + (cured ? 0 : std::size_t{1} << 26), 7});
  stream.wait();
  return read(there.data(), 1)[0] == 7;
}
Mistake const of_kernel_far{"out_of_bounds: a kernel writes far behind its memory", Caught::by_memory,
                            "cudaErrorIllegalAddress", kernel_far};

bool kernel_near(bool cured) {
  Device<int> there{count};
  Stream stream;
  launch(stream, count + (cured ? 0 : 1), Store{there.data(), 7});
  stream.wait();
  return all_are(7, read(there.data(), count));
}
Mistake const of_kernel_near{"out_of_bounds: a kernel writes one element too many", Caught::always,
                             "out of bounds|behind its end|cudaErrorIllegalAddress", kernel_near};

bool kernel_before(bool cured) {
  Device<int> there{count};
  Stream stream;
  launch(stream, 1, Store{there.data() - (cured ? 0 : 1), 7});
  stream.wait();
  return cured ? read(there.data(), 1)[0] == 7 : true;
}
Mistake const of_kernel_before{"out_of_bounds: a kernel writes one element before its memory", Caught::always,
                               "out of bounds|before its beginning|cudaErrorIllegalAddress", kernel_before};

bool kernel_page_locked(bool cured) {
  Pinned<int> here{count};
  Stream stream;
  launch(stream, count + (cured ? 0 : 1), Store{here.data(), 7});
  stream.wait();
  return all_are(7, here.data(), count);
}
Mistake const of_kernel_page_locked{"out_of_bounds: a kernel writes one element behind page-locked memory",
                                    Caught::always, "out of bounds|behind its end|cudaErrorIllegalAddress",
                                    kernel_page_locked};

bool host_page_locked(bool cured) {
  Pinned<int> here{count};
  fill(here, 7);
  if (!cured) here[count] = 7;
  return all_are(7, here.data(), count);
}
Mistake const of_host_page_locked{"out_of_bounds: the host writes one element behind page-locked memory",
                                  Caught::always, "out of bounds|behind its end", host_page_locked};

bool copy_too_long(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{2 * count};
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), (cured ? 1 : 2) * there.bytes(), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  return all_are(7, here.data(), count);
}
Mistake const of_copy_too_long{"out_of_bounds: a copy reads more than there is", Caught::always,
                               "out of bounds|cudaErrorInvalidValue", copy_too_long};

bool copy_by_a_byte(bool cured) {
  Device<char> there{count};
  Pinned<char> here{2 * count};
  Stream stream;
  good(cudaMemcpyAsync(there.data(), here.data(), count + (cured ? 0 : 1), cudaMemcpyHostToDevice, stream));
  stream.wait();
  return true;
}
Mistake const of_copy_by_a_byte{"out_of_bounds: a copy writes a byte too many", Caught::always,
                                "out of bounds|cudaErrorInvalidValue", copy_by_a_byte};

bool into_a_neighbour(bool cured) {
  Device<int> there{count}, neighbour{count};
  Pinned<int> here{count};
  fill(here, 7);
  Stream stream;
  std::size_t const half = count / 2;
  good(cudaMemcpyAsync(there.data() + half, here.data(), (cured ? half : count) * sizeof(int), cudaMemcpyHostToDevice,
                       stream));
  stream.wait();
  return all_are(7, read(there.data() + half, half));
}
Mistake const of_into_a_neighbour{"out_of_bounds: a copy into a part of an array leaves it at the end", Caught::always,
                                  "out of bounds|cudaErrorInvalidValue", into_a_neighbour};

bool fill_too_long(bool cured) {
  Device<char> there{count};
  Stream stream;
  good(cudaMemsetAsync(there.data(), 1, count * (cured ? 1 : sizeof(int)), stream));
  stream.wait();
  return read(there.data(), 1)[0] == 1;
}
Mistake const of_fill_too_long{"out_of_bounds: a fill is as many bytes too long as it has elements", Caught::always,
                               "out of bounds|cudaErrorInvalidValue", fill_too_long};

bool rows(bool cured) {
  Device<char> there{10 * 16};
  Pinned<char> here{10 * 16};
  Stream stream;
  good(cudaMemcpy2DAsync(there.data() + (cured ? 0 : 8), 16, here.data(), 16, 16, 10, cudaMemcpyHostToDevice, stream));
  stream.wait();
  return true;
}
Mistake const of_rows{"out_of_bounds: the last row of a rectangle leaves the memory", Caught::always,
                      "out of bounds|cudaErrorInvalidValue", rows};

}  // namespace
}  // namespace wrong
