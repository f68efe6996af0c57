// Whether a batch of placements is moved in tiles, which cross an array whose sides are dense along different axes.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tessera/place/joined_axes.hpp>
#include <tessera/place/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The axis that the source is dense along, where tiles pay: if the destination is dense along another, both in runs of
/// a sector at least: 32 bytes, of which memory reads and writes no part. Words in the order of the one side would
/// touch the other's singly. Else none: the rank. Requires: elements are copied.
inline std::size_t column_of_tiles(JoinedAxes const& axes) {
  constexpr std::int64_t sector = 32;
  auto const none = axes.rank();
  auto const runs = [&](std::size_t d) { return axes[d].longest * axes.word() >= sector; };
  if (axes.has_bytes() || axes.rank() < 2) return none;
  auto const row = axes.rank() - 1;
  if (std::abs(axes[row].to) >= sector || std::abs(axes[row].from) < sector || !runs(row)) return none;
  auto column = none;
  for (std::size_t d = 0; d < row; ++d) {
    auto const stride = std::abs(axes[d].from);
    if (stride == 0 || stride >= sector || std::abs(axes[d].to) < sector || !runs(d)) continue;
    if (column == none || stride < std::abs(axes[column].from)) column = d;
  }
  return column;
}

/// About as many words along the one as along the other; where that is more than there are, along a third axis.
inline void choose_tile(std::size_t column, JoinedAxes& axes, PlacementTable& table) {
  if (axes.rank() == 2) axes.add_first(), ++column;
  auto const row = axes.rank() - 1;
  auto const depth = column == axes.rank() - 2 ? axes.rank() - 3 : axes.rank() - 2;
  auto const whole = [&](std::size_t d) { return static_cast<unsigned>(std::bit_width(axes[d].longest - 1)); };
  auto const all = tile_bits(axes.word());
  auto columns = std::min(all / 2, whole(column));
  auto rows = std::min(all - all / 2, whole(row));
  auto const deep = std::min(all - columns - rows, whole(depth));
  rows = std::min(all - columns - deep, whole(row));
  columns = std::min(all - rows - deep, whole(column));
  table.row = static_cast<std::uint32_t>(row);
  table.column = static_cast<std::uint32_t>(column);
  table.depth = static_cast<std::uint32_t>(depth);
  table.axes[row].step = rows;
  table.axes[column].step = columns;
  table.axes[depth].step = deep;
}

}}}  // namespace tessera::v0::detail
