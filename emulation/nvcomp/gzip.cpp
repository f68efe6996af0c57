// gzip, by zlib.
#include "inflate.hpp"

namespace emulation::nvcomp {
namespace {

struct Gzip {
  static constexpr char const* name = "nvcompBatchedGzipDecompressAsync";
  static constexpr std::size_t input_alignment = 1, temp_alignment = 1;

  static std::size_t temp_size(std::size_t, std::size_t) { return 0; }

  static Decoded decode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                        std::byte*, std::size_t) {
    return inflated(name, chunk, 16 + MAX_WBITS, from, size, to, room, "has more than one member",
                    "is no valid member");
  }
};

bool is_known(nvcompBatchedGzipDecompressOpts_t const& opts) {
  return opts.algorithm == NVCOMP_GZIP_DECOMPRESS_ALGORITHM_NAIVE;
}

}  // namespace
}  // namespace emulation::nvcomp

using namespace emulation::nvcomp;

nvcompStatus_t nvcompBatchedGzipDecompressGetRequiredAlignments(nvcompBatchedGzipDecompressOpts_t opts,
                                                                nvcompAlignmentRequirements_t* alignments) {
  if (!alignments || !is_known(opts)) return nvcompErrorInvalidValue;
  *alignments = {Gzip::input_alignment, 1, Gzip::temp_alignment};
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedGzipDecompressGetTempSize(std::size_t chunks, std::size_t largest,
                                                      nvcompBatchedGzipDecompressOpts_t opts, std::size_t* temp_size,
                                                      std::size_t total, cudaStream_t) {
  if (!temp_size || !is_known(opts)) return nvcompErrorInvalidValue;
  if (largest > nvcompGzipNaiveDecompressionMaxAllowedChunkSize) return nvcompErrorChunkSizeTooLarge;
  *temp_size = Gzip::temp_size(chunks, total);
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedGzipDecompressAsync(void const* const* from, std::size_t const* from_sizes,
                                                std::size_t const* rooms, std::size_t* sizes, std::size_t chunks,
                                                void* temp, std::size_t temp_size, void* const* to,
                                                nvcompBatchedGzipDecompressOpts_t opts, nvcompStatus_t* statuses,
                                                cudaStream_t stream) {
  if (!is_known(opts)) return nvcompErrorInvalidValue;
  return Decoder<Gzip>::launch(
      {from, from_sizes, rooms, sizes, chunks, static_cast<std::byte*>(temp), temp_size, to, statuses}, stream);
}
