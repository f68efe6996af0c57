// LayOutBlosc, WriteBlosc: the last steps of blosc: the places of streams in their chunks' frames, and the frames.
// ShuffleBlocks: the first step of blosc: shuffles blocks, a tile at a time. Holds integers and pointers, and calls
// nothing of std::, which nvcc compiles for the host alone.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_plan.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Transposes the eight by eight bits of eight bytes (H. S. Warren, Hacker's Delight, 7-3).
TESSERA_HOST_DEVICE constexpr std::uint64_t transposed_bits(std::uint64_t x) {
  auto t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
  x ^= t ^ t << 7;
  t = (x ^ x >> 14) & 0x0000cccc0000cccc;
  x ^= t ^ t << 14;
  t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
  return x ^ t ^ t << 28;
}

/// A block of threads processes a tile: it reads the elements in turn, and writes a row for each byte, or bit, of them;
/// neighbouring threads use neighbouring bytes. The rows of a block are contiguous, and so are its streams.
struct ShuffleBlocks {
  static constexpr unsigned threads = 256, phases = 3;
  static constexpr std::uint32_t pad = 4;  // so that neighbours write an element's bytes to different banks
  struct Shared {
    std::byte bytes[BloscPlan::tile_bytes + 8 * 255 * pad];
  };

  BloscPlan const* plans;
  std::uint64_t count;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t i, unsigned thread, Shared& shared) const {
    auto const& plan = plans[plan_of(plans, count, &BloscPlan::first_tile, i)];
    Tile const tile{plan, i - plan.first_tile};
    if constexpr (Phase == 0)
      tile.read(thread, shared);
    else if constexpr (Phase == 1)
      tile.transpose(thread, shared);
    else
      tile.write(thread, shared);
  }

 private:
  struct Tile {
    std::byte const* from;
    std::byte* to;
    BloscFilter filter;
    std::uint32_t element;
    std::uint64_t size, elements;      // of the block
    std::uint64_t first, last;         // elements of the tile
    std::uint32_t rows, width, pitch;  // of the tile; and bytes from row to row in shared memory
    std::uint32_t of_row;              // elements to a byte
    bool is_last;

    TESSERA_HOST_DEVICE Tile(BloscPlan const& plan, std::uint64_t i) : element{plan.frame.element} {
      auto const block = i / plan.tiles_of_block(), tile = i % plan.tiles_of_block();
      from = plan.from + block * plan.frame.block;
      to = plan.shuffled + block * plan.apart();
      size = plan.frame.size_of(block);
      elements = size / element;
      bool const has_eights = elements > 0 && elements % 8 == 0;
      filter = plan.frame.filter == BloscFilter::bits && !has_eights ? BloscFilter::none : plan.frame.filter;
      first = smaller(tile * plan.tile(), elements);
      last = smaller(first + plan.tile(), elements);
      is_last = tile == (elements == 0 ? 0 : (elements - 1) / plan.tile());
      of_row = filter == BloscFilter::bits ? 8 : 1;
      rows = of_row * element;
      width = static_cast<std::uint32_t>(last - first) / of_row;
      pitch = static_cast<std::uint32_t>(plan.tile()) / of_row + pad;
    }

    TESSERA_HOST_DEVICE void read(unsigned thread, Shared& shared) const {
      if (filter == BloscFilter::none) return;
      auto const* const here = from + first * element;
      for_each(static_cast<std::uint32_t>(last - first), element, thread, [&](std::uint32_t at, std::uint32_t byte) {
        shared.bytes[(byte * of_row + at % of_row) * pitch + at / of_row] = here[at * element + byte];
      });
    }

    /// Transposes groups of eight rows, which hold a byte of eight elements, to a row for each bit.
    TESSERA_HOST_DEVICE void transpose(unsigned thread, Shared& shared) const {
      if (filter != BloscFilter::bits) return;
      for_each(element, width, thread, [&](std::uint32_t byte, std::uint32_t at) {
        auto* const column = shared.bytes + byte * 8 * pitch + at;
        std::uint64_t bits = 0;
        for (unsigned row = 0; row < 8; ++row) bits |= static_cast<std::uint64_t>(column[row * pitch]) << 8 * row;
        bits = transposed_bits(bits);
        for (unsigned row = 0; row < 8; ++row) column[row * pitch] = static_cast<std::byte>(bits >> 8 * row & 0xff);
      });
    }

    TESSERA_HOST_DEVICE void write(unsigned thread, Shared const& shared) const {
      if (filter != BloscFilter::none)
        for_each(rows, width, thread, [&](std::uint32_t row, std::uint32_t at) {
          to[row * (elements / of_row) + first / of_row + at] = shared.bytes[row * pitch + at];
        });
      // Unshuffled: all bytes, or those after the last whole element.
      auto const begin = filter == BloscFilter::none ? first : elements;
      auto const end = is_last ? size : filter == BloscFilter::none ? last * element : 0;
      for (auto at = begin * element + thread; at < end; at += threads) to[at] = from[at];
    }

   private:
    TESSERA_HOST_DEVICE static std::uint64_t smaller(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }

    template <class F>
    TESSERA_HOST_DEVICE static void for_each(std::uint32_t rows, std::uint32_t columns, unsigned thread, F const& f) {
      for (auto i = thread; i < rows * columns; i += threads) f(i / columns, i % columns);
    }
  };
};

/// All streams of a mini-batch, an entry for each: shuffled bytes, and their encoding.
struct BloscStreamLists {
  void const* const* plain;
  std::size_t const* sizes;
  void* const* encoded;
  std::size_t const* encoded_sizes;  ///< null: nothing is encoded, and all chunks are stored
  std::int32_t const* statuses;
  std::uint64_t* places;  ///< where each begins in its frame

  /// A stream that does not shrink is stored.
  TESSERA_HOST_DEVICE bool shrinks(std::uint64_t i) const { return encoded_sizes[i] < sizes[i]; }
  TESSERA_HOST_DEVICE std::size_t size(std::uint64_t i) const { return shrinks(i) ? encoded_sizes[i] : sizes[i]; }
};

/// A thread for each chunk: the places of its streams, its frame's size, and the first status of a stream that is not
/// 0. Chunks below 128 bytes are stored uncompressed, as in c-blosc.
struct LayOutBlosc {
  BloscPlan const* plans;
  BloscStreamLists lists;
  EncodedSizes sizes;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    constexpr std::uint64_t least = 128;
    auto const& plan = plans[i];
    auto const& frame = plan.frame;
    auto const stored = BloscFrame::header + frame.content;
    auto at = BloscFrame::header + frame.blocks() * BloscFrame::number;
    std::int32_t status = 0;
    if (lists.encoded_sizes)
      for (auto n = plan.first_stream; n < plan.first_stream + frame.streams(); ++n) {
        lists.places[n] = at;
        at += BloscFrame::number + lists.size(n);
        if (status == 0) status = lists.statuses[n];
      }
    bool const shrinks = lists.encoded_sizes && status == 0 && frame.content >= least && at < stored;
    sizes.after[i] = shrinks ? at : stored;
    sizes.statuses[i] = status;
  }
};

/// A block of threads for each stream; the first stream's also writes the header.
struct WriteBlosc {
  static constexpr unsigned threads = 256, phases = 1;
  struct Shared {};

  BloscPlan const* plans;
  std::uint64_t count;
  BloscStreamLists lists;
  std::size_t const* sizes;  ///< of the frames

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t i, unsigned thread, Shared&) const {
    auto const number = plan_of(plans, count, &BloscPlan::first_stream, i);
    auto const& plan = plans[number];
    auto const n = i - plan.first_stream;
    auto const stream = plan.stream(n);
    bool const is_stored = sizes[number] == BloscFrame::header + plan.frame.content;
    if (thread == 0 && n == 0) put_header(plan, sizes[number], is_stored);
    if (is_stored) {
      auto const first = stream.block * plan.frame.block + stream.part * stream.size;
      return copy(plan.from + first, plan.to + BloscFrame::header + first, stream.size, thread);
    }
    auto const place = lists.places[i];
    if (thread == 0) {
      if (stream.part == 0) put(plan.to + BloscFrame::header + stream.block * BloscFrame::number, place);
      put(plan.to + place, lists.size(i));
    }
    auto const* const from = lists.shrinks(i) ? lists.encoded[i] : lists.plain[i];
    copy(static_cast<std::byte const*>(from), plan.to + place + BloscFrame::number, lists.size(i), thread);
  }

 private:
  TESSERA_HOST_DEVICE static void put_header(BloscPlan const& plan, std::uint64_t size, bool is_stored) {
    constexpr unsigned version = 2, of_inside = 1, shuffled = 1, stored = 2, bit_shuffled = 4, whole = 16;
    auto const& frame = plan.frame;
    auto flags = static_cast<unsigned>(frame.inside) << 5;
    if (frame.filter == BloscFilter::bytes) flags |= shuffled;
    if (frame.filter == BloscFilter::bits) flags |= bit_shuffled;
    if (frame.splits == 1) flags |= whole;
    if (is_stored) flags |= stored;
    plan.to[0] = static_cast<std::byte>(version);
    plan.to[1] = static_cast<std::byte>(of_inside);
    plan.to[2] = static_cast<std::byte>(flags);
    plan.to[3] = static_cast<std::byte>(frame.element);
    put(plan.to + 4, frame.content);
    put(plan.to + 8, frame.block);
    put(plan.to + 12, size);
  }
  TESSERA_HOST_DEVICE static void put(std::byte* to, std::uint64_t value) {
    for (unsigned i = 0; i < BloscFrame::number; ++i) to[i] = static_cast<std::byte>(value >> 8 * i & 0xff);
  }
  // Byte by byte, because streams lie anywhere; but neighbouring threads copy neighbouring bytes.
  TESSERA_HOST_DEVICE static void copy(std::byte const* from, std::byte* to, std::uint64_t size, unsigned thread) {
    for (std::uint64_t at = thread; at < size; at += threads) to[at] = from[at];
  }
};

}}}  // namespace tessera::v0::detail
