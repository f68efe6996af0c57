// expect: tessera: a RoutedStore cannot hold a SplitStore: make the RoutedStore one half of a split, SplitStore{
#include <tessera/tessera.hpp>
using namespace tessera;
void program(MemoryStore<HostBuffer> memory, LocalStore<HostBuffer> files) {
#ifdef CURED
  SplitStore const store{memory, RoutedStore{memory, files, KeysBelow{"a"}}};
#else
  RoutedStore const store{SplitStore{memory, memory}, files, KeysBelow{"a"}};
#endif
}
