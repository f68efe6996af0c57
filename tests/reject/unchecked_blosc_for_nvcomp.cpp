// expect: tessera: this codec has undefined behaviour on damaged bytes
// not with nvcc: nvCOMP may not be there
#include <tessera/tessera.cuh>
#include <tessera/with/nvcomp.cuh>

using namespace tessera;

int main() {
  LocalStore<HostBuffer> store{"data"};
  Queue<space::Device> on;
#ifdef CURED  // LZ4 alone needs no trust
  using P = Pipeline<space::Device, codec::Bytes, nvcomp::BloscLz4, CastTo<space::Host>>;
#else
  using P = Pipeline<space::Device, codec::Bytes, nvcomp::Blosc, CastTo<space::Host>>;
#endif
  auto array = open_array<float, 2, P>(store, "a", on);
  auto memory = array.read(all);
}
