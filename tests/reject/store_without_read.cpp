// expect: tessera: this store lacks 'std::optional<std::size_t> read(Key const&, ByteRange, Destination<space>,
// queue_of<S>&)
#include <tessera/tessera.hpp>
using namespace tessera;
struct Mine {
  using buffer_type = HostBuffer;
#ifdef CURED
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, Queue<space::Host>&) const;
#else
  std::optional<std::size_t> read(Key const&, Destination<space::Host>, Queue<space::Host>&) const;
#endif
};
void program(Mine store) { (void)open_array<float, 3>(store, "a"); }
