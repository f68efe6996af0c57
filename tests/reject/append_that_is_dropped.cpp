// expect: tessera: dropped, it waits and reports nothing: keep it, and wait() for its work
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, Queue<space::Device> on) {
  using P = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
  auto array = open_array<float, 1, P>(store, "a", on);
  auto const memory = array.read(all, on);
#ifdef CURED
  array.append(memory, 0, on).wait();
#else
  array.append(memory, 0, on);
#endif
}
