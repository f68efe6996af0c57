// expect: tessera: this type does not declare its memory space: pass std::span{memory} if it is in host memory, or declare it for the
// type
#include <cstddef>
#include <span>

#include <tessera/tessera.hpp>
using namespace tessera;
// Like rmm::device_uvector, and many vectors in host memory.
struct Vector {
  float *first, *last;
  float* begin() const { return first; }
  float* end() const { return last; }
  float* data() const { return first; }
  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};
#ifdef CURED
void program(LocalStore<HostBuffer> store, Vector& memory) {
  open_array<float, 3>(store, "a").read(all, std::span{memory});
}
#else
void program(LocalStore<HostBuffer> store, Vector& memory) { open_array<float, 3>(store, "a").read(all, memory); }
#endif
