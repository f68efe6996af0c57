// Calls of nvCOMP that work without a GPU.
#include <cstddef>
#include <iostream>

#include <tessera/tessera.cuh>
#include <tessera/with/nvcomp.cuh>

int main() {
  using namespace tessera;
  using P = Pipeline<space::Device, codec::Bytes, nvcomp::Zstd, CastTo<space::Host>, codec::Crc32c>;
  std::size_t wanted = 0;
  auto const status =
      nvcompBatchedZstdDecompressGetTempSize(1, 65536, nvcompBatchedZstdDecompressDefaultOpts, &wanted, 65536, nullptr);
  std::cout << P::codec_names() << ": " << nvcompGetStatusString(status) << ", " << (wanted > 65536) << '\n';
}
