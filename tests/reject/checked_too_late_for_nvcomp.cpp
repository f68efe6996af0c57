// expect: tessera: where its bytes are damaged the behaviour of this codec is undefined
// not with nvcc: nvCOMP may not be there
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/tessera.cuh>
#include <tessera/with/nvcomp.cuh>

using namespace tessera;

// A checksum of what gzip decodes to says nothing of what it is given.
#ifdef CURED
using P = Pipeline<space::Device, codec::Bytes, codec::DeviceCrc32c, nvcomp::Trusted<nvcomp::Gzip>>;
#else
using P = Pipeline<space::Device, codec::Bytes, codec::DeviceCrc32c, nvcomp::Gzip>;
#endif

int main() { return P::crossings; }
