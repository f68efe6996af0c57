// expect: tessera: a dropped Pending waits and discards errors: keep it, and call wait()
#include <tessera/tessera.cuh>
using namespace tessera;
void program(LocalStore<HostBuffer> store, Queue<space::Device> on) {
  using P = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
  auto array = open_array<float, 1, P>(store, "a", on);
  auto const memory = array.read(all);
#ifdef CURED
  array.append(memory).wait();
#else
  array.append(memory);
#endif
}
