// expect: tessera: this type does not declare its memory space: pass std::span{memory} if it is in host memory, or declare it for the
// type
#include <cstddef>
#include <span>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Bools {
  bool *first, *last;
  bool* begin() const { return first; }
  bool* end() const { return last; }
  bool* data() const { return first; }
  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};
#ifdef CURED
Mask program(Bools const& bools) { return Mask{std::span{bools}}; }
#else
Mask program(Bools const& bools) { return Mask{bools}; }
#endif
