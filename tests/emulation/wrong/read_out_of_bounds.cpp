// Reads leave an allocation by less than a page: they change nothing, and no closed page is near.
#include <cstdint>

#include "mistake.hpp"

namespace wrong {
namespace {

char const* const outside = "cudaErrorIllegalAddress|out of bounds";

template <class T>
struct Copy {
  T const* from;
  T* to;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[i]; }
};

// Of ten elements.
template <class Memory>
bool kernel_reads(Memory const& from, std::ptrdiff_t first, std::size_t elements) {
  Device<int> to{100};
  Stream stream;
  launch(stream, elements, Copy<int>{from.data() + first, to.data()});
  stream.wait();
  return true;
}

bool one_too_many(bool cured) { return kernel_reads(Device<int>{10}, 0, cured ? 10 : 11); }
Mistake const of_one_too_many{"read_out_of_bounds: a kernel reads one element behind its memory", Caught::by_accesses,
                              outside, one_too_many};

bool one_before(bool cured) { return kernel_reads(Device<int>{10}, cured ? 0 : -1, 10); }
Mistake const of_one_before{"read_out_of_bounds: a kernel reads one element before its memory", Caught::by_accesses,
                            outside, one_before};

bool page_locked(bool cured) { return kernel_reads(Pinned<int>{10}, 0, cured ? 10 : 11); }
Mistake const of_page_locked{"read_out_of_bounds: a kernel reads one element behind page-locked memory",
                             Caught::by_accesses, outside, page_locked};

bool begins_within(bool cured) {
  Device<char> from{20}, to{32};
  Stream stream;
  launch(stream, cured ? 2 : 3,
         Copy<std::uint64_t>{reinterpret_cast<std::uint64_t const*>(from.data()),
                             reinterpret_cast<std::uint64_t*>(to.data())});
  stream.wait();
  return true;
}
Mistake const of_begins_within{"read_out_of_bounds: a kernel reads eight bytes where four are left",
                               Caught::by_accesses, outside, begins_within};

bool host(bool cured) {
  Pinned<int> here{10};
  fill(here, 1);
  int sum = 0;
  for (std::size_t i = 0; i < (cured ? 10 : 11); ++i) sum += static_cast<int const volatile&>(here[i]);
  return sum == 10;
}
Mistake const of_host{"read_out_of_bounds: the host reads one element behind page-locked memory", Caught::by_accesses,
                      outside, host};

bool host_before(bool cured) {
  Managed<int> here{10};
  here[0] = 1;
  return static_cast<int const volatile&>(*(here.data() - (cured ? 0 : 1))) == 1;
}
Mistake const of_host_before{"read_out_of_bounds: the host reads one element before managed memory",
                             Caught::by_accesses, outside, host_before};

}  // namespace
}  // namespace wrong
