#pragma once
#include <tessera/place/detail/choose_tile.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tessera/place/detail/joined_axes.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::size_t column_of_tiles(JoinedAxes const& axes) {
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

TESSERA_DECL void choose_tile(std::size_t column, JoinedAxes& axes, PlacementTable& table) {
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
