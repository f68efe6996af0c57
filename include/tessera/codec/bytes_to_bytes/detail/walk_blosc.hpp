// WalkBloscHeaders, WalkBloscBlocks: kernels that split blosc chunks into lists of streams for decoders.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/blosc_chunk.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_block.hpp>
#include <tessera/codec/bytes_to_bytes/detail/snappy_block.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zlib_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zstd_frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct WalkBloscHeaders {
  FramedChunk const* chunks;
  BloscFrame* frames;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    frames[i] = BloscFrame::walk(chunks[i].from, chunks[i].size);
  }
};

/// For each format a stream of one byte, which replaces streams that must not be decoded.
struct BloscHarmless {
  static constexpr std::size_t most = 16;
  unsigned char bytes[5][most]{};
  unsigned char sizes[16]{};

  constexpr BloscHarmless() {
    take(BloscInside::lz4, Lz4Block::harmless, 0, sizeof Lz4Block::harmless);
    take(BloscInside::snappy, SnappyBlock::harmless, 0, sizeof SnappyBlock::harmless);
    take(BloscInside::zlib, ZlibFrame::harmless, ZlibFrame::header, sizeof ZlibFrame::harmless - ZlibFrame::checksum);
    take(BloscInside::zstd, ZstdFrame::harmless, 0, sizeof ZstdFrame::harmless);
  }

 private:
  constexpr void take(BloscInside inside, unsigned char const* from, std::size_t first, std::size_t end) {
    auto const which = static_cast<std::size_t>(inside);
    for (auto i = first; i < end; ++i) bytes[which][sizes[which]++] = from[i];
  }
};

/// The decoders' input and answers, an entry for each stream; and each block's problem.
struct BloscLists {
  static constexpr std::size_t each_list = 5 * sizeof(void*),
                               each_answer = 2 * sizeof(std::size_t) + sizeof(std::int32_t);

  void const** from;
  std::size_t* sizes;
  void** to;
  std::byte const** bytes;  ///< the stream's decoded bytes, in the end; null: none
  std::byte** slots;        ///< for a copy of the stream
  std::size_t* rooms;       ///< the answers begin here
  std::size_t* decoded;
  std::int32_t* statuses;
  FrameProblem* problems;

  /// Lists for `streams` streams, in `memory`.
  static BloscLists in(std::byte* memory, std::uint64_t streams);
  BloscLists answers_in(std::byte* memory, std::uint64_t streams) const;
  std::byte* answers() const { return reinterpret_cast<std::byte*>(rooms); }
};

/// Fills the lists, a thread for each block. No stream of a bad block, and no uncompressed stream, reaches a decoder: a
/// harmless one replaces it.
struct WalkBloscBlocks {
  BloscChunk const* chunks;
  std::uint64_t count;
  BloscHarmless const* harmless;
  BloscLists lists;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const& chunk = chunks[chunk_of(chunks, count, &BloscChunk::first_block, i)];
    auto const block = i - chunk.first_block;
    auto const problem = problem_of(chunk, block);
    lists.problems[i] = problem;
    list(chunk, block, problem == FrameProblem::none);
  }

 private:
  TESSERA_HOST_DEVICE static FrameProblem problem_of(BloscChunk const& chunk, std::uint64_t block) {
    auto const& frame = chunk.frame;
    auto const room = frame.size_of(block) / frame.splits_of(block);
    auto at = frame.offset_of(chunk.from, block);
    for (std::uint32_t split = 0; split < frame.splits_of(block); ++split) {
      auto const stream = frame.stream_at(chunk.from, at);
      if (stream.problem != FrameProblem::none) return stream.problem;
      if (stream.size != room) {
        auto const found = frame.walk_inside(chunk.from + stream.first, stream.size, room);
        if (found.problem != FrameProblem::none) return found.problem;
      }
      at = stream.first + stream.size;
    }
    return FrameProblem::none;
  }

  TESSERA_HOST_DEVICE void list(BloscChunk const& chunk, std::uint64_t block, bool is_sound) const {
    auto const& frame = chunk.frame;
    auto const room = frame.size_of(block) / frame.splits_of(block);
    auto at = frame.offset_of(chunk.from, block);
    for (std::uint32_t split = 0; split < frame.splits_of(block); ++split) {
      auto const n = block * frame.splits + split, listed = chunk.first_stream + n;
      auto* const to = chunk.decoded + block * frame.block + split * room;
      lists.slots[listed] = chunk.slots ? chunk.slots + n * chunk.slot() : nullptr;
      lists.to[listed] = to;
      lists.bytes[listed] = nullptr;
      stand_in(listed, frame.inside);
      if (!is_sound) continue;
      auto const stream = frame.stream_at(chunk.from, at);
      at = stream.first + stream.size;
      auto const* const from = chunk.from + stream.first;
      bool const is_stored = stream.size == room;
      lists.bytes[listed] = is_stored ? from : to;
      if (is_stored) continue;
      auto const found = frame.inside == BloscInside::lz4 ? FoundFrame{}  // all of it, already walked
                                                          : frame.walk_inside(from, stream.size, room);
      lists.from[listed] = from + found.payload;
      lists.sizes[listed] = stream.size - found.payload - found.tail;
      lists.rooms[listed] = room;
    }
  }

  TESSERA_HOST_DEVICE void stand_in(std::uint64_t listed, BloscInside inside) const {
    auto const which = static_cast<std::uint32_t>(inside);
    lists.from[listed] = harmless->bytes[which];
    lists.sizes[listed] = harmless->sizes[which];
    lists.rooms[listed] = 1;
  }
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/walk_blosc.ipp>
#endif
