// expect: tessera: this codec has undefined behaviour on damaged bytes
// not with nvcc: nvCOMP may not be there
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/tessera.cuh>
#include <tessera/with/nvcomp.cuh>

using namespace tessera;

// A checksum of gzip's output does not check its input.
#ifdef CURED
using P = Pipeline<space::Device, codec::Bytes, codec::DeviceCrc32c, nvcomp::Trusted<nvcomp::Gzip>>;
#else
using P = Pipeline<space::Device, codec::Bytes, codec::DeviceCrc32c, nvcomp::Gzip>;
#endif

int main() { return P::crossings; }
