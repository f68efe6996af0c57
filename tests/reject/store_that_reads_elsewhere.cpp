// expect: tessera: this store lacks 'std::optional<std::size_t> read(Key const&, ByteRange, Destination<space>,
// queue_of<S>&)
#include <tessera/tessera.cuh>
using namespace tessera;
struct Mine {
#ifdef CURED
  using buffer_type = HostBuffer;
#else
  using buffer_type = DeviceBuffer;
#endif
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, Queue<space::Host>&) const;
};
auto program(Mine store, Queue<space::Device> stream) {
  auto& on = queue_in<space_of<Mine>>(stream);
  return get_value(store, {"a"}, on);
}
