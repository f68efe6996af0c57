// expect: tessera: a store is a handle and must be copyable; keep what copies share in a std::shared_ptr
#include <memory>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Mine {
  using buffer_type = HostBuffer;
#ifdef CURED
  std::shared_ptr<int> connection;
#else
  std::unique_ptr<int> connection;
#endif
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, Queue<space::Host>&) const;
};
void program(Mine store) { (void)open_array<float, 3>(std::move(store), "a"); }
