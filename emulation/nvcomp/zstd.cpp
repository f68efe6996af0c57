// zstd, by libzstd with a context in the given temporary memory.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "decoder.hpp"

namespace emulation::nvcomp {
namespace {

struct Zstd {
  static constexpr char const* name = "nvcompBatchedZstdDecompressAsync";
  static constexpr std::size_t input_alignment = 1, temp_alignment = 8;

  // About nvCOMP 6.0's figure, and room for the context.
  static std::size_t temp_size(std::size_t chunks, std::size_t total) {
    return chunks == 0 ? 0 : ZSTD_estimateDCtxSize() / 8 * 8 + 8 + 3 * total + total / 20 + chunks * 4096;
  }

  static Decoded decode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                        std::byte* temp, std::size_t temp_size) {
    auto* const context = ZSTD_initStaticDCtx(temp, temp_size);
    if (!context) undefined(name, chunk, "has too little temporary memory");
    auto const result = ZSTD_decompressDCtx(context, to, room, from, size);
    if (!ZSTD_isError(result)) return {nvcompSuccess, result};
    if (ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall) return {nvcompErrorCannotDecompress, 0};
    undefined(name, chunk, "is no valid frame");
  }
};

}  // namespace
}  // namespace emulation::nvcomp

using namespace emulation::nvcomp;

nvcompStatus_t nvcompBatchedZstdDecompressGetRequiredAlignments(nvcompBatchedZstdDecompressOpts_t opts,
                                                                nvcompAlignmentRequirements_t* alignments) {
  if (!alignments || opts.backend == NVCOMP_DECOMPRESS_BACKEND_HARDWARE) return nvcompErrorInvalidValue;
  *alignments = {Zstd::input_alignment, 1, Zstd::temp_alignment};
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedZstdDecompressGetTempSize(std::size_t chunks, std::size_t largest,
                                                      nvcompBatchedZstdDecompressOpts_t opts, std::size_t* temp_size,
                                                      std::size_t total, cudaStream_t) {
  if (!temp_size || opts.backend == NVCOMP_DECOMPRESS_BACKEND_HARDWARE) return nvcompErrorInvalidValue;
  if (largest > nvcompZstdDecompressionMaxAllowedChunkSize) return nvcompErrorChunkSizeTooLarge;
  *temp_size = Zstd::temp_size(chunks, total);
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedZstdDecompressAsync(void const* const* from, std::size_t const* from_sizes,
                                                std::size_t const* rooms, std::size_t* sizes, std::size_t chunks,
                                                void* temp, std::size_t temp_size, void* const* to,
                                                nvcompBatchedZstdDecompressOpts_t opts, nvcompStatus_t* statuses,
                                                cudaStream_t stream) {
  if (opts.backend == NVCOMP_DECOMPRESS_BACKEND_HARDWARE) return nvcompErrorInvalidValue;
  return Decoder<Zstd>::launch(
      {from, from_sizes, rooms, sizes, chunks, static_cast<std::byte*>(temp), temp_size, to, statuses}, stream);
}
