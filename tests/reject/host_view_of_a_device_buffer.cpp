// expect: tessera: bytes of one of these memory spaces cannot be seen in the other; copy them:
#include <tessera/tessera.cuh>
using namespace tessera;
auto program(DeviceBuffer buffer, Queue<space::Device> stream) {
#ifdef CURED
  auto const here = cast<HostBuffer>(std::move(buffer), stream);
  return std::to_integer<int>(*here.view().data);
#else
  auto const here = view_in<space::Host>(buffer.view(), stream);
  return std::to_integer<int>(*here.data);
#endif
}
