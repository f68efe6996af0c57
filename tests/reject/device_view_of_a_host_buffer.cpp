// expect: tessera: bytes in one of these memory spaces cannot be viewed in the other: copy them with
#include <tessera/tessera.cuh>
using namespace tessera;
void program(HostBuffer pageable, PinnedBuffer pinned, Queue<space::Device> stream) {
#ifdef CURED
  (void)pageable;
  auto const there = view_in<space::Device>(pinned.view(), stream);
#else
  (void)pinned;
  auto const there = view_in<space::Device>(pageable.view(), stream.host());
#endif
  (void)there;
}
