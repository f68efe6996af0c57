// gzip, by zlib, which takes its memory from the kernel's stack.
#include <zlib.h>

#include <array>
#include <cstdint>

#include "decoder.hpp"

namespace emulation::nvcomp {
namespace {

// Kernels have no heap.
struct Stack {
  alignas(16) std::array<std::byte, 64 << 10> memory;
  std::size_t used = 0;

  static void* allocate(void* self, unsigned count, unsigned size) {
    auto& stack = *static_cast<Stack*>(self);
    auto const wanted = (std::size_t{count} * size + 15) / 16 * 16;
    if (wanted > stack.memory.size() - stack.used) return nullptr;
    auto* const result = stack.memory.data() + stack.used;
    stack.used += wanted;
    return result;
  }
  static void free(void*, void*) {}
};

struct Gzip {
  static constexpr char const* name = "nvcompBatchedGzipDecompressAsync";
  static constexpr std::size_t input_alignment = 1, temp_alignment = 1;

  static std::size_t temp_size(std::size_t, std::size_t) { return 0; }

  static Decoded decode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                        std::byte*, std::size_t) {
    Stack stack;
    z_stream stream{};
    stream.zalloc = Stack::allocate;
    stream.zfree = Stack::free;
    stream.opaque = &stack;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from));
    stream.avail_in = static_cast<unsigned>(size);
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<unsigned>(room);
    constexpr int of_gzip = 16 + MAX_WBITS;
    if (inflateInit2(&stream, of_gzip) != Z_OK) undefined(name, chunk, "has no memory in the emulation");
    auto const result = inflate(&stream, Z_FINISH);
    if (result == Z_STREAM_END && stream.avail_in == 0) return {nvcompSuccess, room - stream.avail_out};
    if (result == Z_STREAM_END) undefined(name, chunk, "has more than one member");
    if (result == Z_BUF_ERROR && stream.avail_out == 0) return {nvcompErrorCannotDecompress, 0};
    undefined(name, chunk, "is no valid member");
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
