// LZ4, by liblz4.
#include <lz4.h>

#include "decoder.hpp"

namespace emulation::nvcomp {
namespace {

struct Lz4 {
  static constexpr char const* name = "nvcompBatchedLZ4DecompressAsync";
  static constexpr std::size_t input_alignment = 1, temp_alignment = 1;

  static std::size_t temp_size(std::size_t, std::size_t) { return 0; }

  // nvCOMP 6.0 was observed to accept damaged blocks and to access memory out of bounds.
  static Decoded decode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                        std::byte*, std::size_t) {
    auto const result = LZ4_decompress_safe(reinterpret_cast<char const*>(from), reinterpret_cast<char*>(to),
                                            static_cast<int>(size), static_cast<int>(room));
    if (result < 0) undefined(name, chunk, "is no valid block, or has too little room");
    return {nvcompSuccess, static_cast<std::size_t>(result)};
  }
};

// The hardware engine would always return success.
bool is_known(nvcompBatchedLZ4DecompressOpts_t const& opts) {
  return opts.backend == NVCOMP_DECOMPRESS_BACKEND_CUDA && opts.data_type == NVCOMP_TYPE_CHAR &&
         opts.bitshuffle_mode == NVCOMP_BITSHUFFLE_NONE;
}

}  // namespace
}  // namespace emulation::nvcomp

using namespace emulation::nvcomp;

nvcompStatus_t nvcompBatchedLZ4DecompressGetRequiredAlignments(nvcompBatchedLZ4DecompressOpts_t opts,
                                                               nvcompAlignmentRequirements_t* alignments) {
  if (!alignments || !is_known(opts)) return nvcompErrorInvalidValue;
  *alignments = {Lz4::input_alignment, 1, Lz4::temp_alignment};
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedLZ4DecompressGetTempSize(std::size_t chunks, std::size_t largest,
                                                     nvcompBatchedLZ4DecompressOpts_t opts, std::size_t* temp_size,
                                                     std::size_t total, cudaStream_t) {
  if (!temp_size || !is_known(opts)) return nvcompErrorInvalidValue;
  if (largest > nvcompLZ4DecompressionMaxAllowedChunkSize) return nvcompErrorChunkSizeTooLarge;
  *temp_size = Lz4::temp_size(chunks, total);
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedLZ4DecompressAsync(void const* const* from, std::size_t const* from_sizes,
                                               std::size_t const* rooms, std::size_t* sizes, std::size_t chunks,
                                               void* temp, std::size_t temp_size, void* const* to,
                                               nvcompBatchedLZ4DecompressOpts_t opts, nvcompStatus_t* statuses,
                                               cudaStream_t stream) {
  if (!is_known(opts)) return nvcompErrorInvalidValue;
  return Decoder<Lz4>::launch(
      {from, from_sizes, rooms, sizes, chunks, static_cast<std::byte*>(temp), temp_size, to, statuses}, stream);
}
