// How a chunk is divided when blosc encodes it: into blocks, and their streams. Chosen on the host, read by kernels.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/align_frames.hpp>
#include <tessera/codec/bytes_to_bytes/blosc_frame.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What a configuration asks for.
struct BloscForm {
  BloscInside inside;
  BloscFilter filter;
  std::uint32_t element;    ///< bytes that are shuffled together: 1 to 255
  std::uint64_t block = 0;  ///< bytes; 0: chosen here
};

/// A chunk of a mini-batch, and where what belongs to it begins in the lists of all chunks.
struct BloscPlan {
  BloscFrame frame;  ///< as it will be, if the chunk shrinks
  std::byte const* from;
  std::byte* to;
  std::byte* shuffled = nullptr;  ///< its blocks, each at a multiple of `apart()` bytes
  std::uint64_t first_stream = 0, first_tile = 0;

  static constexpr std::uint64_t tile_bytes = 8192;  ///< at most

  TESSERA_HOST_DEVICE std::uint64_t apart() const { return aligned_size(frame.block); }
  /// Elements of a tile: a multiple of eight.
  TESSERA_HOST_DEVICE std::uint64_t tile() const { return tile_bytes / frame.element / 8 * 8; }
  TESSERA_HOST_DEVICE std::uint64_t tiles_of_block() const {
    auto const elements = frame.block / frame.element;
    return elements == 0 ? 1 : (elements - 1) / tile() + 1;
  }
  TESSERA_HOST_DEVICE std::uint64_t tiles() const { return frame.blocks() * tiles_of_block(); }

  /// A stream of the chunk: the bytes that it stands for are the n-th part of those of its block.
  struct Stream {
    std::uint64_t block, part, size;
  };
  TESSERA_HOST_DEVICE Stream stream(std::uint64_t i) const {
    auto const block = i / frame.splits;  // the last block may be no whole one: then it is one stream
    return {block, i % frame.splits, frame.size_of(block) / frame.splits_of(block)};
  }
};

/// Whose the n-th stream or tile is: the last chunk that begins with it or before.
TESSERA_HOST_DEVICE inline std::uint64_t plan_of(BloscPlan const* plans, std::uint64_t count,
                                                 std::uint64_t BloscPlan::*first_of, std::uint64_t n) {
  std::uint64_t first = 0, left = count;
  while (left > 1) {
    auto const half = left / 2;
    if (plans[first + half].*first_of <= n) {
      first += half;
      left -= half;
    } else {
      left = half;
    }
  }
  return first;
}

/// The blocks of a chunk of so many bytes, by the rules that c-blosc decodes by (blosc_d of blosc.c): a multiple of an
/// element, at least 128 bytes, at most the chunk and BLOSC_MAX_BLOCKSIZE; LZ4 takes a stream for each byte of an
/// element, zstd one for a block. Between these a size that is asked for is kept; c-blosc makes larger blocks of those
/// with several streams. If none is asked for, a stream has 64 KiB, so that a mini-batch has many. Requires: 1 byte or
/// more. Throws: CodecError, if a buffer of blosc cannot hold as many.
inline BloscFrame plan_blosc(BloscForm const& form, std::uint64_t content) {
  constexpr std::uint64_t most_int = 0x7fffffff, most = most_int - BloscFrame::header;
  constexpr std::uint64_t least_block = 128, most_block = (most_int - 255 * BloscFrame::number) / 3, least_stream = 128;
  constexpr std::uint64_t usual_stream = 64 << 10;
  constexpr std::uint32_t most_splits = 16;
  if (content > most) throw CodecError{text({content, " bytes are more than a blosc buffer can hold"})};
  bool const may_split = form.inside == BloscInside::lz4 && form.element <= most_splits;
  auto const eights = std::uint64_t{8} * form.element;  // elements are shuffled in eights, if by bits
  auto const usual =
      may_split ? usual_stream * form.element : std::max(usual_stream / eights, std::uint64_t{1}) * eights;
  auto block = std::min(form.block == 0 ? usual : std::clamp(form.block, least_block, most_block), content);
  if (block > form.element) block -= block % form.element;
  BloscFrame frame;
  frame.inside = form.inside;
  frame.filter = form.filter == BloscFilter::bytes && form.element == 1 ? BloscFilter::none : form.filter;
  frame.element = form.element;
  frame.splits = may_split && block / form.element >= least_stream ? form.element : 1;
  frame.block = static_cast<std::uint32_t>(block);
  frame.content = content;
  return frame;
}

}}}  // namespace tessera::v0::detail
