// expect: tessera: this store's buffers are borrowed and cannot be made: get_into(store, key, memory, queue)
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<MappedBuffer> store, Queue<space::Host> here) {
#ifdef CURED
  (void)here;
  auto value = store.map({"a"});
#else
  auto value = get(store, {"a"}, here);
#endif
}
