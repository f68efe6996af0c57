// expect: tessera: a block kernel must hold only pointers and numbers, and declare: static constexpr unsigned threads
#include <tessera/tessera.cuh>
using namespace tessera;
struct Clear {
  static constexpr unsigned threads = 64;
#ifdef CURED
  static constexpr unsigned phases = 1;
#endif
  struct Shared {};
  unsigned char* bytes;
  template <unsigned>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared&) const {
    bytes[block * threads + thread] = 0;
  }
};
void program(Queue<space::Device> stream) { launch_blocks(stream, 16, Clear{nullptr}); }
