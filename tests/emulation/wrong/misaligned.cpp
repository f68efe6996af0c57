// A kernel accesses memory at an address that is not a multiple of the size of the access: a GPU cannot do that.
#include <cstdint>

#include "mistake.hpp"

namespace wrong {
namespace {

char const* const misaligned = "cudaErrorMisalignedAddress|misaligned";

using Four [[gnu::vector_size(16)]] = int;  // not a struct, whose copies clang++ does not instrument
template <class T>
struct Move {
  T const* from;
  T* to;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[i]; }
};

// From `from_bytes` into one allocation to `to_bytes` into another.
template <class T>
bool move(std::size_t from_bytes, std::size_t to_bytes) {
  Device<char> from{64 * sizeof(T)}, to{64 * sizeof(T)};
  Stream stream;
  launch(stream, 32,
         Move<T>{reinterpret_cast<T const*>(from.data() + from_bytes), reinterpret_cast<T*>(to.data() + to_bytes)});
  stream.wait();
  return true;
}

bool reads_four_bytes(bool cured) { return move<std::uint32_t>(cured ? 4 : 2, 0); }
Mistake const of_reads_four_bytes{"misaligned: a kernel reads four bytes at an even address", Caught::by_memory,
                                  misaligned, reads_four_bytes};

bool writes_four_bytes(bool cured) { return move<std::uint32_t>(0, cured ? 8 : 1); }
Mistake const of_writes_four_bytes{"misaligned: a kernel writes four bytes at an odd address", Caught::by_memory,
                                   misaligned, writes_four_bytes};

bool reads_sixteen_bytes(bool cured) { return move<Four>(cured ? 16 : 8, 0); }
Mistake const of_reads_sixteen_bytes{"misaligned: a kernel reads sixteen bytes between two of them", Caught::by_memory,
                                     misaligned, reads_sixteen_bytes};

bool writes_sixteen_bytes(bool cured) { return move<Four>(0, cured ? 32 : 4); }
Mistake const of_writes_sixteen_bytes{"misaligned: a kernel writes sixteen bytes at a multiple of four",
                                      Caught::by_memory, misaligned, writes_sixteen_bytes};

}  // namespace
}  // namespace wrong
