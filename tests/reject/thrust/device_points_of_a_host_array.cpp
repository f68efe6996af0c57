// expect: tessera: DevicePoints and a DeviceMask select elements of an array in device memory
#if !defined(__CUDACC__)  // Thrust names the toolkit's vectors
#include <vector_types.h>
#undef __host__
#undef __device__
#undef __global__
#endif
#include <cstdint>
#include <vector>

#include <tessera/tessera.cuh>
#include <tessera/with/device_selections.cuh>
using namespace tessera;
using Points2 = ArrayView<std::int64_t, 2, space::Device>;
void program(MemoryStore<HostBuffer> store, DeviceMask const& mask, Points2 points, std::vector<int>& memory) {
  auto const here = open_array<int, 2>(store, "a");
#ifdef CURED
  (void)mask, (void)points;
  Points const listed{std::vector<Extents>{{1, 2}}};
  here.read(listed, memory);
  auto const read = here.read(listed);
  here.write(listed, memory);
#else
  here.read(DevicePoints{points}, memory);
  auto const read = here.read(mask);
  here.write(DevicePoints{points}, memory);
#endif
  (void)read.shape();
}
