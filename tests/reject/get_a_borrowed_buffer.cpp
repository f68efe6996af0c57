// expect: tessera: this store's buffers are borrowed and cannot be allocated: call get_into(store, key, memory, queue)
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<MappedBuffer> store, Queue<space::Host> here) {
#ifdef CURED
  (void)here;
  auto value = store.map({"a"});
#else
  auto value = get_value(store, {"a"}, here);
#endif
}
