// expect: tessera: this memory does not say where it is: give std::span{memory} if it is the host's, or say so of its
// type
#include <cstddef>
#include <span>

#include <tessera/tessera.hpp>
using namespace tessera;
// As rmm::device_uvector is, and many a vector of the host's.
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
