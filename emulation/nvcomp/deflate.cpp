// deflate, by zlib.
#include "inflate.hpp"

namespace emulation::nvcomp {
namespace {

struct Deflate {
  static constexpr char const* name = "nvcompBatchedDeflateDecompressAsync";
  static constexpr std::size_t input_alignment = 4, temp_alignment = 1;

  static std::size_t temp_size(std::size_t, std::size_t) { return 0; }

  static Decoded decode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                        std::byte*, std::size_t) {
    auto const found = inflated(name, chunk, -MAX_WBITS, from, size, to, room, "has bytes behind its deflate stream",
                                "is no valid deflate stream");
    // nvCOMP 6.0's status for too little room.
    return found.status == nvcompSuccess ? found : Decoded{nvcompErrorCannotVerifyChecksums, 0};
  }
};

bool is_known(nvcompBatchedDeflateDecompressOpts_t const& opts) {
  return opts.backend != NVCOMP_DECOMPRESS_BACKEND_HARDWARE;  // there is none
}

}  // namespace
}  // namespace emulation::nvcomp

using namespace emulation::nvcomp;

nvcompStatus_t nvcompBatchedDeflateDecompressGetRequiredAlignments(nvcompBatchedDeflateDecompressOpts_t opts,
                                                                   nvcompAlignmentRequirements_t* alignments) {
  if (!alignments || !is_known(opts)) return nvcompErrorInvalidValue;
  *alignments = {Deflate::input_alignment, 1, Deflate::temp_alignment};
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedDeflateDecompressGetTempSize(std::size_t chunks, std::size_t largest,
                                                         nvcompBatchedDeflateDecompressOpts_t opts,
                                                         std::size_t* temp_size, std::size_t total, cudaStream_t) {
  if (!temp_size || !is_known(opts)) return nvcompErrorInvalidValue;
  if (largest > nvcompDeflateDecompressionMaxAllowedChunkSize) return nvcompErrorChunkSizeTooLarge;
  *temp_size = Deflate::temp_size(chunks, total);
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedDeflateDecompressAsync(void const* const* from, std::size_t const* from_sizes,
                                                   std::size_t const* rooms, std::size_t* sizes, std::size_t chunks,
                                                   void* temp, std::size_t temp_size, void* const* to,
                                                   nvcompBatchedDeflateDecompressOpts_t opts, nvcompStatus_t* statuses,
                                                   cudaStream_t stream) {
  if (!is_known(opts)) return nvcompErrorInvalidValue;
  return Decoder<Deflate>::launch(
      {from, from_sizes, rooms, sizes, chunks, static_cast<std::byte*>(temp), temp_size, to, statuses}, stream);
}
