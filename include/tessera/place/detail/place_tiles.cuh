// PlaceTiles: the kernel that moves elements in tiles, where source and destination are dense along different axes.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/place/detail/placement_table.hpp>
#include <tessera/place/detail/word.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Reads a tile in the order of the source and writes it in that of the destination. In between it is in shared memory,
/// padded so that threads of both orders access different banks.
template <unsigned W, class Source = BytesInPlace>
struct PlaceTiles {
  static constexpr unsigned threads = placing_threads, phases = 3;
  static constexpr unsigned words = 1u << tile_bits(W), padding = W < 4 ? 4 / W : 1;
  static constexpr unsigned each = W < 8 ? 16 : words / threads, rounds = words / threads / each;
  static constexpr unsigned together = 4;  // blocks per multiprocessor: 64 registers per thread
  // The beginning of a tile, and the remaining size of its box from there.
  struct Tile {
    std::byte const *box, *from;  // null: to be filled
    std::byte* to;
    std::uint32_t rows, columns, depth;
  };
  struct Shared {
    Word<W> word[words + words * (W < 4 ? 4 : W) / 32];  // lines of 32 bytes have the most padding
    Tile tile;
  };
  PlacementTable table;
  Source source{};

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    if constexpr (Phase == 0) {
      if (thread == 0) shared.tile = tile_of(block);  // as much arithmetic as moving several words
    } else if (is_whole(shared.tile)) {
      move<Phase == 1, true>(thread, shared);
    } else {
      move<Phase == 1, false>(thread, shared);
    }
  }

 private:
  TESSERA_HOST_DEVICE Tile tile_of(std::uint64_t block) const {
    auto const box = table.box_of(block);
    auto const& shape = table.shape(box.shape);
    auto n = static_cast<std::uint32_t>(block - box.first_block);
    Tile tile{box.from, box.from, box.to, 0, 0, 0};
    for (auto d = table.rank; d-- > 0;) {
      auto const& axis = table.axes[d];
      auto const at = shape.by_steps[d].remainder(n) << axis.step;
      n = shape.by_steps[d].quotient(n);
      if (box.from) tile.from += axis.from * static_cast<std::int64_t>(at);
      tile.to += axis.to * static_cast<std::int64_t>(at);
      auto const left = shape.count[d] - at;
      if (d == table.row) tile.rows = left;
      if (d == table.column) tile.columns = left;
      if (d == table.depth) tile.depth = left;
    }
    return tile;
  }

  // Whether the words of all threads are inside. In boxes smaller than a tile, a step has fewer words than threads
  // move.
  TESSERA_HOST_DEVICE bool is_whole(Tile const& tile) const {
    auto const rows = table.axes[table.row].step, columns = table.axes[table.column].step,
               depth = table.axes[table.depth].step;
    return 1u << (rows + columns + depth) == words && tile.rows >> rows != 0 && tile.columns >> columns != 0 &&
           tile.depth >> depth != 0;
  }

  // The position of a word: in the tile, in shared memory, and its byte offset from the tile's beginning, in the source
  // or the destination.
  struct Spot {
    unsigned row, column, deep, slot;
    std::int64_t offset;
    TESSERA_HOST_DEVICE Spot& operator+=(Spot const& other) {
      row += other.row, column += other.column, deep += other.deep, slot += other.slot, offset += other.offset;
      return *this;
    }
  };
  // The spots of numbers without a common bit add up to the spot of their sum.
  template <bool Reads>
  TESSERA_HOST_DEVICE Spot spot_of(unsigned n) const {
    auto const& rows = table.axes[table.row];
    auto const& columns = table.axes[table.column];
    auto const& depth = table.axes[table.depth];
    auto const first = Reads ? columns.step : rows.step;  // neighbouring threads are along this axis
    auto const low = n & ((1u << first) - 1), high = (n >> first) & ((1u << (rows.step + columns.step - first)) - 1);
    auto const row = Reads ? high : low, column = Reads ? low : high, deep = n >> (rows.step + columns.step);
    auto const slot = ((deep << rows.step) + row) * ((1u << columns.step) + padding) + column;
    auto const bytes = [](PlacedAxis const& axis, unsigned steps) {
      return (Reads ? axis.from : axis.to) * static_cast<std::int64_t>(steps);
    };
    return {row, column, deep, slot, bytes(rows, row) + bytes(columns, column) + bytes(depth, deep)};
  }

  static constexpr auto bits = static_cast<unsigned>(std::countr_zero(each));  // of the number of a thread's word

  template <bool Reads, bool IsWhole>
  TESSERA_HOST_DEVICE void move(unsigned thread, Shared& shared) const {
    auto const tile = shared.tile;
    Spot steps[bits];
    for_each_below<bits>([&](unsigned b) { steps[b] = spot_of<Reads>(threads << b); });
    for (unsigned round = 0; round < rounds; ++round) {
      auto const first = spot_of<Reads>(round * each * threads + thread);
      auto const spot = [&](unsigned i) {
        auto sum = first;
        for_each_below<bits>([&](unsigned b) {
          if ((i >> b & 1) != 0) sum += steps[b];
        });
        return sum;
      };
      auto const is_inside = [&](Spot const& at) {
        return IsWhole || (at.row < tile.rows && at.column < tile.columns && at.deep < tile.depth);
      };
      if constexpr (Reads) {
        auto const bytes = source.of(tile.box);
        Word<W> word[each]{};
        for_each_below<each>([&](unsigned i) {
          auto const at = spot(i);
          if (is_inside(at)) word[i] = bytes.template word<W>(tile.from ? tile.from + at.offset : table.fill());
        });
        for_each_below<each>([&](unsigned i) {
          auto const at = spot(i);
          if (is_inside(at)) shared.word[at.slot] = tile.from ? swapped(word[i], table.swapped) : word[i];
        });
      } else {
        for_each_below<each>([&](unsigned i) {
          auto const at = spot(i);
          if (is_inside(at)) put_word(tile.to + at.offset, shared.word[at.slot]);
        });
      }
    }
  }
};

}  // namespace detail
}}  // namespace tessera::v0
