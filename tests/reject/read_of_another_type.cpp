// expect: tessera: read<...> names the type of the buffer, e.g. read<PinnedBuffer>(all); to convert numbers include <tessera/array/convert.hpp> and use read_as<float>(array, all)
#include <tessera/array/convert.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<std::uint16_t, 2>(store, "a");
#ifdef CURED
  auto part = read_as<float>(array, {{0, 4}, all});
#else
  auto part = array.read<float>({{0, 4}, all});
#endif
  (void)part;
}
