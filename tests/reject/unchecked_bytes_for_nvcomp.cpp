// expect: tessera: where its bytes are damaged the behaviour of this codec is undefined: put a codec right behind it that checks them, as codec::Crc32c and codec::DeviceCrc32c do, or take the bytes on trust: nvcomp::Trusted<nvcomp::Zstd>
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
  auto memory = array.read(all, on);
}
