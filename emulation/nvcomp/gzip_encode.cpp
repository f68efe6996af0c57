// gzip, by zlib, which allocates from the given temporary memory.
#include <zlib.h>

#include "encoder.hpp"

namespace emulation::nvcomp {
namespace {

// Kernels have no heap.
struct Arena {
  std::byte* memory;
  std::size_t left;

  static void* allocate(void* self, unsigned count, unsigned size) {
    auto& arena = *static_cast<Arena*>(self);
    auto const wanted = (std::size_t{count} * size + 15) / 16 * 16;
    if (wanted > arena.left) return nullptr;
    auto* const result = arena.memory;
    arena.memory += wanted;
    arena.left -= wanted;
    return result;
  }
  static void free(void*, void*) {}
};

struct Gzip {
  static constexpr char const* name = "nvcompBatchedGzipCompressAsync";
  static constexpr std::size_t input_alignment = 1, output_alignment = 8, temp_alignment = 8;
  static constexpr std::size_t most = nvcompGzipCompressionMaxAllowedChunkSize;

  // About nvCOMP 6.0's figure for algorithm 4, and room for zlib.
  static std::size_t temp_size(std::size_t chunks, std::size_t total) {
    return chunks == 0 ? 0 : (std::size_t{512} << 10) + 17 * total;
  }
  // nvCOMP 6.0's figures.
  static std::size_t bound(std::size_t size) { return 74152 * ((size + 32767) / 32768) + 24; }
  static bool is_known(nvcompBatchedGzipCompressOpts_t const& opts) {
    return opts.algorithm >= 0 && opts.algorithm <= 5;
  }

  static std::size_t encode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                            std::byte* temp, std::size_t temp_size, nvcompBatchedGzipCompressOpts_t const& options) {
    auto* const memory = aligned_in(temp, 16);
    Arena arena{memory, temp_size - static_cast<std::size_t>(memory - temp)};
    z_stream stream{};
    stream.zalloc = Arena::allocate;
    stream.zfree = Arena::free;
    stream.opaque = &arena;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from));
    stream.avail_in = static_cast<unsigned>(size);
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<unsigned>(room);
    constexpr int of_gzip = 16 + MAX_WBITS, memory_level = 8;
    constexpr int levels[]{1, 1, 1, 1, 6, 9};
    if (deflateInit2(&stream, levels[options.algorithm], Z_DEFLATED, of_gzip, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
      undefined(name, chunk, "has too little temporary memory");
    return deflate(&stream, Z_FINISH) == Z_STREAM_END ? room - stream.avail_out : 0;
  }
};
using GzipEncoder = Encoder<Gzip, nvcompBatchedGzipCompressOpts_t>;

}  // namespace
}  // namespace emulation::nvcomp

using namespace emulation::nvcomp;

nvcompStatus_t nvcompBatchedGzipCompressGetRequiredAlignments(nvcompBatchedGzipCompressOpts_t opts,
                                                              nvcompAlignmentRequirements_t* alignments) {
  return GzipEncoder::alignments(opts, alignments);
}
nvcompStatus_t nvcompBatchedGzipCompressGetTempSize(std::size_t chunks, std::size_t largest,
                                                    nvcompBatchedGzipCompressOpts_t opts, std::size_t* temp_size,
                                                    std::size_t total, cudaStream_t) {
  return GzipEncoder::temporary(chunks, largest, opts, temp_size, total);
}
nvcompStatus_t nvcompBatchedGzipCompressGetMaxOutputChunkSize(std::size_t largest, nvcompBatchedGzipCompressOpts_t opts,
                                                              std::size_t* bound) {
  return GzipEncoder::bound(largest, opts, bound);
}
nvcompStatus_t nvcompBatchedGzipCompressAsync(void const* const* from, std::size_t const* from_sizes,
                                              std::size_t largest, std::size_t chunks, void* temp,
                                              std::size_t temp_size, void* const* to, std::size_t* sizes,
                                              nvcompBatchedGzipCompressOpts_t opts, nvcompStatus_t* statuses,
                                              cudaStream_t stream) {
  return GzipEncoder::launch(
      {from, from_sizes, largest, chunks, static_cast<std::byte*>(temp), temp_size, to, sizes, opts, statuses}, stream);
}
