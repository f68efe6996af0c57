// expect: tessera: the rule of a RoutedStore says whether the first store has a key: it is called with a Key const&
#include <tessera/tessera.hpp>
using namespace tessera;
void program(MemoryStore<HostBuffer> memory, LocalStore<HostBuffer> files) {
#ifdef CURED
  RoutedStore const store{memory, files, [](Key const& key) { return key.path.starts_with("a"); }};
#else
  RoutedStore const store{memory, files, "a"};
#endif
}
