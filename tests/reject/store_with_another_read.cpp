// expect: tessera: this store lacks 'std::optional<std::size_t> read(Key const&, ByteRange, Destination<space>,
// queue_of<S>&) const'
#include <tessera/tessera.hpp>
using namespace tessera;
struct Mine {
  using buffer_type = HostBuffer;
#ifdef CURED
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, Queue<space::Host>&) const;
#else
  std::optional<HostBuffer> read(Key const&) const;  // as in many other libraries
#endif
};
void program(Mine store) { (void)open_array<float, 3>(store, "a"); }
