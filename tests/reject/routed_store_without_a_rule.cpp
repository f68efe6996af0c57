// expect: tessera: the rule of a RoutedStore must accept a Key const& and return a bool: whether the first store has the key
#include <tessera/tessera.hpp>
using namespace tessera;
void program(MemoryStore<HostBuffer> memory, LocalStore<HostBuffer> files) {
#ifdef CURED
  RoutedStore const store{memory, files, [](Key const& key) { return key.path.starts_with("a"); }};
#else
  RoutedStore const store{memory, files, "a"};
#endif
}
