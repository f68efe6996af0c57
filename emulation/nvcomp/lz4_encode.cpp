// LZ4, by liblz4 with its state in the given temporary memory.
#include <lz4.h>

#include "encoder.hpp"

namespace emulation::nvcomp {
namespace {

struct Lz4 {
  static constexpr char const* name = "nvcompBatchedLZ4CompressAsync";
  static constexpr std::size_t input_alignment = 1, output_alignment = 1, temp_alignment = 2;
  static constexpr std::size_t most = nvcompLZ4CompressionMaxAllowedChunkSize;

  static std::size_t temp_size(std::size_t chunks, std::size_t) { return chunks * (std::size_t{32} << 10); }
  static std::size_t bound(std::size_t size) { return size + size / 255 + 16; }
  static bool is_known(nvcompBatchedLZ4CompressOpts_t const& opts) {
    return opts.data_type == NVCOMP_TYPE_CHAR && opts.bitshuffle_mode == NVCOMP_BITSHUFFLE_NONE;
  }

  static std::size_t encode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                            std::byte* temp, std::size_t temp_size, nvcompBatchedLZ4CompressOpts_t const&) {
    if (temp_size < static_cast<std::size_t>(LZ4_sizeofState()) + 16)
      undefined(name, chunk, "has too little temporary memory");
    auto const result =
        LZ4_compress_fast_extState(aligned_in(temp, 16), reinterpret_cast<char const*>(from),
                                   reinterpret_cast<char*>(to), static_cast<int>(size), static_cast<int>(room), 1);
    return static_cast<std::size_t>(result);
  }
};
using Lz4Encoder = Encoder<Lz4, nvcompBatchedLZ4CompressOpts_t>;

}  // namespace
}  // namespace emulation::nvcomp

using namespace emulation::nvcomp;

nvcompStatus_t nvcompBatchedLZ4CompressGetRequiredAlignments(nvcompBatchedLZ4CompressOpts_t opts,
                                                             nvcompAlignmentRequirements_t* alignments) {
  return Lz4Encoder::alignments(opts, alignments);
}
nvcompStatus_t nvcompBatchedLZ4CompressGetTempSize(std::size_t chunks, std::size_t largest,
                                                   nvcompBatchedLZ4CompressOpts_t opts, std::size_t* temp_size,
                                                   std::size_t total, cudaStream_t) {
  return Lz4Encoder::temporary(chunks, largest, opts, temp_size, total);
}
nvcompStatus_t nvcompBatchedLZ4CompressGetMaxOutputChunkSize(std::size_t largest, nvcompBatchedLZ4CompressOpts_t opts,
                                                             std::size_t* bound) {
  return Lz4Encoder::bound(largest, opts, bound);
}
nvcompStatus_t nvcompBatchedLZ4CompressAsync(void const* const* from, std::size_t const* from_sizes,
                                             std::size_t largest, std::size_t chunks, void* temp, std::size_t temp_size,
                                             void* const* to, std::size_t* sizes, nvcompBatchedLZ4CompressOpts_t opts,
                                             nvcompStatus_t* statuses, cudaStream_t stream) {
  return Lz4Encoder::launch(
      {from, from_sizes, largest, chunks, static_cast<std::byte*>(temp), temp_size, to, sizes, opts, statuses}, stream);
}
