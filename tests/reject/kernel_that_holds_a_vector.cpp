// expect: tessera: a kernel's function object is copied to the device bit by bit: it must hold only pointers and
#include <vector>

#include <tessera/tessera.cuh>
using namespace tessera;
struct Clear {
#ifdef CURED
  std::byte* bytes;
#else
  std::vector<std::byte> bytes;
#endif
  TESSERA_HOST_DEVICE void operator()(std::uint64_t) const {}
};
void program(Queue<space::Device> stream) { launch(stream, 16, Clear{}); }
