// expect: tessera: this codec has undefined behaviour on damaged bytes: put a codec directly after it that checks them, such as codec::Crc32c or codec::DeviceCrc32c, or trust the bytes: nvcomp::Trusted<nvcomp::Zstd>
// not with nvcc: nvCOMP may not be there
#include <tessera/tessera.cuh>
#include <tessera/with/nvcomp.cuh>

using namespace tessera;

int main() {
  LocalStore<HostBuffer> store{"data"};
  Queue<space::Device> on;
#ifdef CURED
  using P = Pipeline<space::Device, codec::Bytes, nvcomp::Zstd, CastTo<space::Host>, codec::Crc32c>;
#else
  using P = Pipeline<space::Device, codec::Bytes, nvcomp::Zstd, CastTo<space::Host>>;
#endif
  auto array = open_array<float, 2, P>(store, "a", on);
  auto memory = array.read(all);
}
