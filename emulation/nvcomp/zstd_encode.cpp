// zstd, by libzstd with a context in the given temporary memory.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "encoder.hpp"

namespace emulation::nvcomp {
namespace {

struct Zstd {
  static constexpr char const* name = "nvcompBatchedZstdCompressAsync";
  static constexpr std::size_t input_alignment = 4, output_alignment = 1, temp_alignment = 1;
  static constexpr std::size_t most = nvcompZstdCompressionMaxAllowedChunkSize;
  static constexpr int level = 1;

  // nvCOMP's own is not known: it queries a device.
  static std::size_t temp_size(std::size_t chunks, std::size_t total) {
    return chunks == 0 ? 0 : ZSTD_estimateCCtxSize(level) + 16 + total + chunks * 4096;
  }
  static std::size_t bound(std::size_t size) { return ZSTD_compressBound(size); }
  static bool is_known(nvcompBatchedZstdCompressOpts_t const&) { return true; }

  static std::size_t encode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                            std::byte* temp, std::size_t temp_size, nvcompBatchedZstdCompressOpts_t const&) {
    auto* const memory = aligned_in(temp, 8);
    auto* const context = ZSTD_initStaticCCtx(memory, temp_size - static_cast<std::size_t>(memory - temp));
    if (!context) undefined(name, chunk, "has too little temporary memory");
    auto const result = ZSTD_compressCCtx(context, to, room, from, size, level);
    return ZSTD_isError(result) ? 0 : result;
  }
};
using ZstdEncoder = Encoder<Zstd, nvcompBatchedZstdCompressOpts_t>;

}  // namespace
}  // namespace emulation::nvcomp

using namespace emulation::nvcomp;

nvcompStatus_t nvcompBatchedZstdCompressGetRequiredAlignments(nvcompBatchedZstdCompressOpts_t opts,
                                                              nvcompAlignmentRequirements_t* alignments) {
  return ZstdEncoder::alignments(opts, alignments);
}
nvcompStatus_t nvcompBatchedZstdCompressGetTempSize(std::size_t chunks, std::size_t largest,
                                                    nvcompBatchedZstdCompressOpts_t opts, std::size_t* temp_size,
                                                    std::size_t total, cudaStream_t) {
  return ZstdEncoder::temporary(chunks, largest, opts, temp_size, total);
}
nvcompStatus_t nvcompBatchedZstdCompressGetMaxOutputChunkSize(std::size_t largest, nvcompBatchedZstdCompressOpts_t opts,
                                                              std::size_t* bound) {
  return ZstdEncoder::bound(largest, opts, bound);
}
nvcompStatus_t nvcompBatchedZstdCompressAsync(void const* const* from, std::size_t const* from_sizes,
                                              std::size_t largest, std::size_t chunks, void* temp,
                                              std::size_t temp_size, void* const* to, std::size_t* sizes,
                                              nvcompBatchedZstdCompressOpts_t opts, nvcompStatus_t* statuses,
                                              cudaStream_t stream) {
  return ZstdEncoder::launch(
      {from, from_sizes, largest, chunks, static_cast<std::byte*>(temp), temp_size, to, sizes, opts, statuses}, stream);
}
