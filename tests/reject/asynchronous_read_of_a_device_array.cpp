// expect: tessera: read_async and write_async are for host memory: array.read(selection, memory) of an array in device memory returns a Pending already
#include <tessera/array/read_async.hpp>
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, Queue<space::Device> on, ArrayView<float, 1, space::Device> to) {
  auto const array = open_array<float, 1, Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>(store, "a", on);
#ifdef CURED
  array.read(all, to).wait();
#else
  read_async(array, all, to).wait();
#endif
}
