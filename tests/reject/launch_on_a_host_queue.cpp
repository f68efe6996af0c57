// expect: tessera: found a host queue, expected a device queue
#include <tessera/tessera.cuh>
using namespace tessera;
struct Clear {
  std::byte* bytes;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { bytes[i] = std::byte{0}; }
};
void program(DeviceBuffer buffer, Queue<space::Device> stream) {
#ifdef CURED
  launch(stream, buffer.view().size, Clear{buffer.span().data});
#else
  launch(stream.host(), buffer.view().size, Clear{buffer.span().data});
#endif
}
