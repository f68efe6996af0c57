// expect: tessera: the stored bytes of this array are not in host memory, so chunks must be copied to the host: name the place of the copy, array.through<Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>>(), and read that
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(LocalStore<HostBuffer> documents, MemoryStore<DeviceBuffer> chunks, Queue<space::Device> on) {
  auto array = open_array<float, 3, Pipeline<space::Device, codec::Bytes>>(SplitStore{documents, chunks}, "a", on);
#ifdef CURED
  return array.through<Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>>().read(all);
#else
  return array.read<HostBuffer>(all);
#endif
}
