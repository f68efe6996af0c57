// expect: tessera: this store does not hold its values in memory and cannot lend them: call get_value(store, key,
// queue)
#include <tessera/tessera.hpp>
using namespace tessera;
bool program(LocalStore<HostBuffer> files, MemoryStore<HostBuffer> memory, Queue<space::Host> on) {
#ifdef CURED
  (void)files;
  return lend(memory, Key{"k"}, {}, on).has_value();
#else
  (void)memory;
  return lend(files, Key{"k"}, {}, on).has_value();
#endif
}
