// expect: tessera: pass codecs as a Pipeline<space, codecs...>, exactly these, or, to open an array, as a Codecs<codecs...>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(Group<LocalStore<HostBuffer>> group) {
#ifdef CURED
  using Known = Codecs<codec::Bytes>;
#else
  using Known = codec::Bytes;
#endif
  for (auto const& [name, array] : group.arrays<Known>()) (void)name, (void)array;
}
