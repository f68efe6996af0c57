// expect: tessera: bytes in one of these memory spaces cannot be viewed in the other: copy them with
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(DeviceBuffer buffer, Queue<space::Device> stream) {
#ifdef CURED
  auto const here = copy_to<HostBuffer>(std::move(buffer), stream);
  return std::to_integer<int>(*here.view().data);
#else
  auto const here = view_in<space::Host>(buffer.view(), stream);
  return std::to_integer<int>(*here.data);
#endif
}
