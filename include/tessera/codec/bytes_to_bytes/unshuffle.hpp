// The last step of blosc: streams of decoded bytes joined and shuffled back, a tile at a time. It holds integers and
// pointers, and calls nothing of std::, whose functions nvcc compiles for the host alone.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/blosc_chunk.hpp>
#include <tessera/codec/bytes_to_bytes/blosc_frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The eight by eight bits of eight bytes, transposed (H. S. Warren, Hacker's Delight, 7-3).
TESSERA_HOST_DEVICE constexpr std::uint64_t transposed_bits(std::uint64_t x) {
  auto t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
  x ^= t ^ t << 7;
  t = (x ^ x >> 14) & 0x0000cccc0000cccc;
  x ^= t ^ t << 14;
  t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
  return x ^ t ^ t << 28;
}

/// A block of threads takes a tile: it reads a row of each byte, or bit, of its elements, and writes element after
/// element; neighbours read and write what is near. Of streams that are no longer known (null) it writes nothing.
struct JoinStreams {
  static constexpr unsigned threads = 256, phases = 3;
  static constexpr std::uint32_t pad = 4;  // so that neighbours find the bytes of an element in different banks
  struct Shared {
    std::byte bytes[BloscChunk::tile_bytes + 8 * 255 * pad];
  };

  BloscChunk const* chunks;
  std::uint64_t count;
  std::byte const* const* streams;  ///< where each one's bytes are

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t i, unsigned thread, Shared& shared) const {
    auto const& chunk = chunks[chunk_of(chunks, count, &BloscChunk::first_tile, i)];
    Tile const tile{chunk, i - chunk.first_tile, streams};
    if (!tile.is_known()) return;
    if constexpr (Phase == 0)
      tile.filter == BloscFilter::none ? tile.copy(thread) : tile.read(thread, shared);
    else if constexpr (Phase == 1)
      tile.transpose(thread, shared);
    else
      tile.write(thread, shared);
  }

 private:
  struct Tile {
    BloscFrame const& frame;
    std::byte const* whole;           // all bytes, of a chunk that is stored
    std::byte const* const* streams;  // of the block
    std::byte* to;                    // the block's bytes
    BloscFilter filter;
    std::uint64_t splits, size;        // of the block
    std::uint64_t elements;            // of the block
    std::uint64_t first, last;         // elements of the tile
    std::uint32_t rows, width, pitch;  // of the tile; and bytes from row to row in shared memory
    std::uint64_t row_size;            // of the block

    TESSERA_HOST_DEVICE Tile(BloscChunk const& chunk, std::uint64_t i, std::byte const* const* all)
        : frame{chunk.frame} {
      auto const block = i / chunk.tiles_of_block();
      bool const is_stored = frame.is_stored();
      whole = is_stored ? chunk.from + BloscFrame::header : nullptr;
      streams = all + chunk.first_stream + block * frame.splits;
      to = chunk.to + block * frame.block * !is_stored;
      splits = is_stored ? 1 : frame.splits_of(block);
      size = is_stored ? frame.content : frame.size_of(block);
      elements = size / frame.element;
      bool const has_eights = elements > 0 && elements % 8 == 0;
      filter = frame.filter == BloscFilter::bits && !has_eights ? BloscFilter::none : frame.filter;
      auto const tile = i % chunk.tiles_of_block();
      first = smaller(tile * chunk.tile(), elements);
      last = smaller(first + chunk.tile(), elements);
      bool const is_bits = filter == BloscFilter::bits;
      auto const of_row = is_bits ? 8u : 1u;  // elements to a byte
      rows = of_row * frame.element;
      width = static_cast<std::uint32_t>(last - first) / of_row;
      pitch = static_cast<std::uint32_t>(chunk.tile()) / of_row + pad;
      row_size = elements / of_row;
      is_last = tile == (elements == 0 ? 0 : (elements - 1) / chunk.tile());
      is_empty = first == last && !is_last;  // of a block that is not whole
    }

    TESSERA_HOST_DEVICE bool is_known() const { return !is_empty && (whole || streams[0]); }

    /// As they are: from as many streams as the tile touches.
    TESSERA_HOST_DEVICE void copy(unsigned thread) const {
      auto const begin = first * frame.element, end = is_last ? size : last * frame.element;
      auto const length = size / splits;
      for (auto stream = begin / length; stream * length < end; ++stream) {
        auto const* const from = whole ? whole : streams[stream];
        auto* const there = to + stream * length;
        if (from == there) continue;  // decoded into its place
        auto const until = smaller(end - stream * length, length);
        for (auto at = larger(begin, stream * length) - stream * length + thread; at < until; at += threads)
          there[at] = from[at];
      }
    }

    TESSERA_HOST_DEVICE void read(unsigned thread, Shared& shared) const {
      bool const is_bits = filter == BloscFilter::bits, is_split = splits > 1;
      auto const begin = is_bits ? first / 8 : first;
      for_each(rows, width, thread, [&](std::uint32_t row, std::uint32_t at) {
        auto const stream = !is_split ? 0 : is_bits ? row / 8 : row;  // one for each byte of an element
        auto const before = !is_split ? row : is_bits ? row % 8 : 0;  // rows, in the stream
        shared.bytes[row * pitch + at] = streams[stream][before * row_size + begin + at];
      });
    }

    /// Of eight rows each: a bit of a byte becomes the byte of one of eight elements.
    TESSERA_HOST_DEVICE void transpose(unsigned thread, Shared& shared) const {
      if (filter != BloscFilter::bits) return;
      for_each(frame.element, width, thread, [&](std::uint32_t byte, std::uint32_t at) {
        auto* const column = shared.bytes + byte * 8 * pitch + at;
        std::uint64_t bits = 0;
        for (unsigned row = 0; row < 8; ++row) bits |= static_cast<std::uint64_t>(column[row * pitch]) << 8 * row;
        bits = transposed_bits(bits);
        for (unsigned row = 0; row < 8; ++row) column[row * pitch] = static_cast<std::byte>(bits >> 8 * row & 0xff);
      });
    }

    TESSERA_HOST_DEVICE void write(unsigned thread, Shared const& shared) const {
      if (filter == BloscFilter::none) return;
      auto* const there = to + first * frame.element;
      auto const in_tile = static_cast<std::uint32_t>(last - first);
      for_each(in_tile, frame.element, thread, [&](std::uint32_t element, std::uint32_t byte) {
        auto const row = filter == BloscFilter::bits ? byte * 8 + element % 8 : byte;
        auto const at = filter == BloscFilter::bits ? element / 8 : element;
        there[element * frame.element + byte] = shared.bytes[row * pitch + at];
      });
      if (!is_last) return;  // what makes no element, only of blocks of one stream
      for (auto at = elements * frame.element + thread; at < size; at += threads) to[at] = streams[0][at];
    }

   private:
    bool is_last, is_empty;

    TESSERA_HOST_DEVICE static std::uint64_t smaller(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }
    TESSERA_HOST_DEVICE static std::uint64_t larger(std::uint64_t a, std::uint64_t b) { return a < b ? b : a; }

    // Each thread takes every 256th place of the table, row by row: without a division for each.
    template <class F>
    TESSERA_HOST_DEVICE static void for_each(std::uint32_t rows, std::uint32_t columns, unsigned thread, F const& f) {
      if (columns == 0) return;
      auto const down = threads / columns, right = threads % columns;
      auto row = thread / columns, column = thread % columns;
      while (row < rows) {
        f(row, column);
        row += down;
        column += right;
        if (column >= columns) {
          column -= columns;
          ++row;
        }
      }
    }
  };
};

}  // namespace detail
}}  // namespace tessera::v0
