// snappy, from its format's description, so that other tests do not depend on the library's header.
#include <cstddef>
#include <cstdint>

#include "decoder.hpp"

namespace emulation::nvcomp {
namespace {

// The rest of a block.
struct Input {
  std::byte const* at;
  std::size_t left;

  // A little-endian number of that many bytes; false: the input is too short.
  bool take(unsigned bytes, std::size_t& value) {
    if (left < bytes) return false;
    value = 0;
    for (unsigned i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(at[i]);
    at += bytes;
    left -= bytes;
    return true;
  }
};

struct Snappy {
  static constexpr char const* name = "nvcompBatchedSnappyDecompressAsync";
  static constexpr std::size_t input_alignment = 1, temp_alignment = 1;

  static std::size_t temp_size(std::size_t, std::size_t) { return 0; }

  static Decoded decode(std::size_t chunk, std::byte const* from, std::size_t size, std::byte* to, std::size_t room,
                        std::byte*, std::size_t) {
    Input input{from, size};
    std::size_t content = 0, byte = 0x80;
    for (unsigned bits = 0; byte & 0x80; bits += 7) {
      if (bits > 28 || !input.take(1, byte)) undefined(name, chunk, "is no valid block");
      content |= (byte & 0x7f) << bits;
    }
    if (content > room) return {nvcompErrorCannotDecompress, 0};
    std::size_t done = 0, tag = 0;
    while (input.take(1, tag))
      if (!(tag & 3 ? copy(tag, input, to, content, done) : literal(tag >> 2, input, to, content, done)))
        undefined(name, chunk, "is no valid block");
    if (done != content) undefined(name, chunk, "is no valid block");
    return {nvcompSuccess, content};
  }

 private:
  static bool literal(std::size_t length, Input& input, std::byte* to, std::size_t content, std::size_t& done) {
    if (length >= 60 && !input.take(static_cast<unsigned>(length - 59), length)) return false;
    if (input.left <= length || content - done <= length) return false;
    for (std::size_t i = 0; i <= length; ++i) to[done++] = input.at[i];
    input.at += length + 1;
    input.left -= length + 1;
    return true;
  }
  static bool copy(std::size_t tag, Input& input, std::byte* to, std::size_t content, std::size_t& done) {
    auto const kind = tag & 3;  // and the length and, of the shortest, the offset's highest bits
    std::size_t length = (tag >> 2) + 1, offset = 0;
    if (!input.take(kind == 3 ? 4u : static_cast<unsigned>(kind), offset)) return false;
    if (kind == 1) {
      length = (tag >> 2 & 7) + 4;
      offset |= tag >> 5 << 8;
    }
    if (offset == 0 || offset > done || content - done < length) return false;
    for (; length > 0; --length, ++done) to[done] = to[done - offset];
    return true;
  }
};

bool is_known(nvcompBatchedSnappyDecompressOpts_t const& opts) {
  return opts.backend != NVCOMP_DECOMPRESS_BACKEND_HARDWARE;  // there is none
}

}  // namespace
}  // namespace emulation::nvcomp

using namespace emulation::nvcomp;

nvcompStatus_t nvcompBatchedSnappyDecompressGetRequiredAlignments(nvcompBatchedSnappyDecompressOpts_t opts,
                                                                  nvcompAlignmentRequirements_t* alignments) {
  if (!alignments || !is_known(opts)) return nvcompErrorInvalidValue;
  *alignments = {Snappy::input_alignment, 1, Snappy::temp_alignment};
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedSnappyDecompressGetTempSize(std::size_t chunks, std::size_t largest,
                                                        nvcompBatchedSnappyDecompressOpts_t opts,
                                                        std::size_t* temp_size, std::size_t total, cudaStream_t) {
  if (!temp_size || !is_known(opts)) return nvcompErrorInvalidValue;
  if (largest > nvcompSnappyDecompressionMaxAllowedChunkSize) return nvcompErrorChunkSizeTooLarge;
  *temp_size = Snappy::temp_size(chunks, total);
  return nvcompSuccess;
}
nvcompStatus_t nvcompBatchedSnappyDecompressAsync(void const* const* from, std::size_t const* from_sizes,
                                                  std::size_t const* rooms, std::size_t* sizes, std::size_t chunks,
                                                  void* temp, std::size_t temp_size, void* const* to,
                                                  nvcompBatchedSnappyDecompressOpts_t opts, nvcompStatus_t* statuses,
                                                  cudaStream_t stream) {
  if (!is_known(opts)) return nvcompErrorInvalidValue;
  return Decoder<Snappy>::launch(
      {from, from_sizes, rooms, sizes, chunks, static_cast<std::byte*>(temp), temp_size, to, statuses}, stream);
}
