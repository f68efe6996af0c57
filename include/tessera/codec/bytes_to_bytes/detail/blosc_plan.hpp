// BloscPlan: how blosc divides a chunk into blocks and streams. Chosen on the host, read by kernels.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/align_frames.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What a configuration specifies.
struct BloscForm {
  BloscInside inside;
  BloscFilter filter;
  std::uint32_t element;    ///< bytes shuffled together: 1 to 255
  std::uint64_t block = 0;  ///< bytes; 0: plan_blosc chooses
};

/// A chunk of a mini-batch, and where its streams and tiles begin in the lists of all chunks.
struct BloscPlan {
  BloscFrame frame;  ///< as written if the chunk shrinks
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

  /// A stream of the chunk: one part of the bytes of its block.
  struct Stream {
    std::uint64_t block, part, size;
  };
  TESSERA_HOST_DEVICE Stream stream(std::uint64_t i) const {
    auto const block = i / frame.splits;  // a last block that is not whole is one stream
    return {block, i % frame.splits, frame.size_of(block) / frame.splits_of(block)};
  }
};

/// The chunk of stream or tile n: the last one that begins with it or before.
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

/// The blocks of a chunk of `content` bytes, by the rules that c-blosc decodes by (blosc_d of blosc.c). A block is a
/// multiple of an element, at least 128 bytes, at most the chunk and BLOSC_MAX_BLOCKSIZE; LZ4 has a stream for each
/// byte of an element, zstd one for a block. Within these limits a specified size is kept; c-blosc enlarges blocks of
/// several streams. By default a stream has 64 KiB, so that a mini-batch has many. Requires: 1 byte or more. Throws:
/// CodecError, if a blosc buffer cannot hold the chunk.
TESSERA_DECL BloscFrame plan_blosc(BloscForm const& form, std::uint64_t content);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/blosc_plan.ipp>
#endif
