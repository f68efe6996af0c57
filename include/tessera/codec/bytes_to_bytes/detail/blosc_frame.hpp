// BloscFrame: a Blosc 1 buffer (c-blosc's README_CHUNK_FORMAT.rst, and blosc_d of blosc.c). The header precedes the
// offsets of the blocks, which are in any order. A block is one stream, or one for each byte of an element. A stream is
// its size in four bytes and the compressed bytes, or the plain bytes, if they did not shrink.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_block.hpp>
#include <tessera/codec/bytes_to_bytes/detail/snappy_block.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zlib_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zstd_frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The format of the streams, by the header's numbers.
enum class BloscInside : std::uint32_t { blosclz, lz4, snappy, zlib, zstd, unknown, nothing };
inline constexpr char const* blosc_inside_name(BloscInside inside) {
  constexpr char const* names[]{"blosclz", "lz4", "snappy", "zlib", "zstd", "an unknown format", "nothing"};
  return names[static_cast<std::uint32_t>(inside)];
}

/// How each block was shuffled before compression.
enum class BloscFilter : std::uint32_t { none, bytes, bits };

/// A stream of a block: its beginning in the frame, and its size, in bytes.
struct BloscStream {
  FrameProblem problem = FrameProblem::none;
  std::uint64_t first = 0, size = 0;
};

struct BloscFrame {
  static constexpr std::uint64_t header = 16, number = 4;  ///< bytes

  FrameProblem problem = FrameProblem::none;
  BloscInside inside = BloscInside::nothing;
  BloscFilter filter = BloscFilter::none;
  std::uint32_t element = 1;  ///< bytes
  std::uint32_t splits = 1;   ///< streams of a whole block
  std::uint32_t block = 0;    ///< decoded bytes of a whole one
  std::uint64_t content = 0;  ///< decoded bytes of the whole frame
  std::uint64_t size = 0;     ///< bytes of the frame

  /// Checks the header, and that the offsets exist. Bytes after the frame, which z5 has left, are ignored. The frame
  /// must have room for its streams, and blocks of at least 16 bytes, as from all writers of blosc, so that lists of
  /// streams are not many times as long as the chunk.
  TESSERA_HOST_DEVICE static BloscFrame walk(std::byte const* from, std::uint64_t size) {
    constexpr unsigned version = 2, last_of_blosc2 = 5, of_inside = 1, shuffled = 1, stored = 2, bit_shuffled = 4,
                       reserved = 8, whole = 16;
    constexpr std::uint64_t most_int = 0x7fffffff, most = most_int - header, most_block = (most_int - 255 * number) / 3;
    BloscFrame frame;
    frame.size = size;
    auto const is = [&](FrameProblem found) {
      frame.problem = found;
      return frame;
    };
    if (size < header) return is(FrameProblem::truncated);
    if (auto const said = static_cast<unsigned>(from[0]); said != version)
      return is(said > version && said <= last_of_blosc2 ? FrameProblem::blosc2 : FrameProblem::unknown);
    auto const flags = static_cast<unsigned>(from[2]);
    frame.element = static_cast<std::uint32_t>(from[3]);
    frame.content = frame_integer(from + 4, number);
    frame.block = static_cast<std::uint32_t>(frame_integer(from + 8, number));
    auto const said = frame_integer(from + 12, number);
    if (said > size) return is(FrameProblem::truncated);
    if (said < header) return is(FrameProblem::outside);
    frame.size = size = said;
    if (frame.content == 0) return frame;
    if (flags & reserved || frame.element == 0 || frame.block == 0 || frame.block > most_block ||
        frame.block > frame.content || frame.content > most)
      return is(FrameProblem::reserved);
    if (flags & stored) {
      frame.element = 1;
      return is(frame.content + header == size ? FrameProblem::none : FrameProblem::another);
    }
    frame.inside = flags >> 5 < 5 ? static_cast<BloscInside>(flags >> 5) : BloscInside::unknown;
    if (static_cast<unsigned>(from[1]) != of_inside) return is(FrameProblem::reserved);
    if (flags & shuffled && frame.element > 1)
      frame.filter = BloscFilter::bytes;
    else if (flags & bit_shuffled)
      frame.filter = BloscFilter::bits;
    constexpr std::uint32_t most_splits = 16, least_stream = 128;
    if (frame.block / frame.element >= least_stream && frame.element <= most_splits && !(flags & whole)) {
      frame.splits = frame.element;
      if (frame.block % frame.splits != 0) return is(FrameProblem::reserved);
    }
    constexpr std::uint64_t least_offset = number, least = number + 1, least_block = 16;
    if (size - header < frame.blocks() * least_offset + frame.streams() * least) return is(FrameProblem::truncated);
    return is(frame.block < least_block && frame.blocks() > 1 ? FrameProblem::reserved : FrameProblem::none);
  }

  TESSERA_HOST_DEVICE bool is_stored() const { return inside == BloscInside::nothing; }
  /// Blocks that have streams.
  TESSERA_HOST_DEVICE std::uint64_t blocks() const { return is_stored() ? 0 : (content - 1) / block + 1; }
  TESSERA_HOST_DEVICE std::uint64_t whole_blocks() const { return is_stored() ? 0 : content / block; }
  TESSERA_HOST_DEVICE std::uint64_t streams() const { return whole_blocks() * splits + (blocks() - whole_blocks()); }

  TESSERA_HOST_DEVICE std::uint32_t splits_of(std::uint64_t i) const { return i < whole_blocks() ? splits : 1; }
  TESSERA_HOST_DEVICE std::uint64_t size_of(std::uint64_t i) const {  ///< decoded bytes of a block
    return i < whole_blocks() ? block : content - i * block;
  }

  /// The stated beginning of the block's first stream; not checked.
  TESSERA_HOST_DEVICE std::uint64_t offset_of(std::byte const* from, std::uint64_t i) const {
    return frame_integer(from + header + i * number, number);
  }
  /// The stream at an offset; checked to lie in the frame, after the offsets.
  TESSERA_HOST_DEVICE BloscStream stream_at(std::byte const* from, std::uint64_t at) const {
    if (at < header + blocks() * number || at > size - number) return {FrameProblem::outside};
    auto const length = frame_integer(from + at, number);
    at += number;
    if (length == 0 || length > size - at) return {FrameProblem::outside};
    return {FrameProblem::none, at, length};
  }
  /// The frame in a stream of `length` bytes that must decode to `room`. A zlib stream must not be longer than `room`.
  TESSERA_HOST_DEVICE FoundFrame walk_inside(std::byte const* from, std::uint64_t length, std::uint64_t room) const {
    auto found = [&]() -> FoundFrame {
      if (inside == BloscInside::lz4) return Lz4Block::walk(from, length);
      if (inside == BloscInside::zstd) return ZstdFrame::walk(from, length);
      if (inside == BloscInside::snappy) return SnappyBlock::walk(from, length);
      if (inside == BloscInside::zlib) return ZlibFrame::walk(from, length);
      return {};
    }();
    bool const is_other = found.content != FoundFrame::unsaid && found.content != room;
    if (found.problem == FrameProblem::none && is_other) found.problem = FrameProblem::another;
    if (inside == BloscInside::zlib && length > room) found.problem = FrameProblem::reserved;
    return found;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
