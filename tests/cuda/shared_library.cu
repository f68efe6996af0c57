// Half of a program, in a shared library: tessera's kernels must be hidden in it, because the other half has another
// version of it.
#include <tessera/memory/launch.cuh>

struct Blocks {
  static constexpr unsigned threads = 32, phases = 1;
  struct Shared {};
  int* data;
  template <unsigned>
  TESSERA_HOST_DEVICE void phase(std::uint64_t, unsigned thread, Shared&) const {
    ++data[thread];
  }
};
struct Each {
  int* data;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { ++data[i]; }
};

void add(tessera::Queue<tessera::space::Device>& on, int* data) {
  tessera::launch(on, 3, Each{data});
  tessera::launch_blocks(on, 1, Blocks{data});
}
