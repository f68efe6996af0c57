#pragma once
#include <tessera/place/detail/placement_plan.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/place/detail/joined_axes.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_kinds.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The axis along which the source is dense, if tiles pay off: the destination is dense along another, both in runs of
/// at least a sector (32 bytes, the smallest memory access), and words in the order of one side would access the
/// other's singly. Otherwise the rank. Requires: elements are copied.
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

/// Chooses about as many words along both axes; if an axis is too short, more along a third.
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

/// Appends boxes and shapes to a plan's, and counts their blocks.
struct BoxDivider {
  using Box = PlacementKinds::Box;
  using Batch = PlacementKinds::Batch;

  JoinedAxes const& axes;
  PlacementTable const& table;  ///< its axes and fill_words must be set
  bool tiled;
  std::uint64_t limit;  ///< a box of this many words or more is divided
  std::uint64_t moved;  ///< bytes of the batch
  std::vector<PlacedBox>& boxes;
  std::vector<PlacedShape>& shapes;
  std::uint64_t blocks = 0;

  /// Adds boxes of one shape. Throws: Error, if one element has as many words as the limit.
  void add(Batch alike);

 private:
  // Adds boxes of `count` words along each axis that begin at `begins`.
  void add(Batch begins, std::uint64_t (&count)[most_axes]);
  // Halves a box along the first axis that allows it; an axis of element bytes only between whole elements and words.
  void divide(Box const& begin, std::uint64_t (&count)[most_axes]);
  std::uint32_t shape_of(std::uint64_t const (&count)[most_axes], std::uint64_t total);
  std::uint64_t blocks_of(PlacedShape const& shape) const;
};

TESSERA_DECL void BoxDivider::add(Batch alike) {
  std::uint64_t count[most_axes];
  for (std::size_t d = 0; d < axes.rank(); ++d) count[d] = axes.words(d, alike.front().count);
  add(alike, count);
}

TESSERA_DECL void BoxDivider::add(Batch begins, std::uint64_t (&count)[most_axes]) {
  std::uint64_t total = 1;
  for (std::size_t d = 0; d < axes.rank(); ++d) total *= count[d];
  if (total >= limit) {
    for (auto const& box : begins) divide(box, count);
    return;
  }
  auto const shape = shape_of(count, total);
  auto const its_blocks = static_cast<std::uint32_t>(blocks_of(shapes[shape]));
  for (auto const& box : begins) {
    boxes.push_back({box.from, box.to, blocks, shape, its_blocks});
    blocks += its_blocks;
  }
}

TESSERA_DECL void BoxDivider::divide(Box const& begin, std::uint64_t (&count)[most_axes]) {
  for (std::size_t d = 0; d < axes.rank(); ++d) {
    auto const grain = axes.has_bytes() && d + 1 == axes.rank() ? std::uint64_t{table.fill_words.divisor} : 1;
    if (count[d] <= grain) continue;
    auto const whole = count[d], half = (whole / 2 + grain - 1) / grain * grain;
    count[d] = half;
    add({&begin, 1}, count);
    auto const n = static_cast<std::int64_t>(half);
    Box const second{begin.from ? begin.from + n * axes[d].from : nullptr, begin.to + n * axes[d].to, {}};
    count[d] = whole - half;
    add({&second, 1}, count);
    count[d] = whole;
    return;
  }
  throw Error{to_text({"cannot divide an element of ", moved, " bytes"})};
}

TESSERA_DECL std::uint32_t BoxDivider::shape_of(std::uint64_t const (&count)[most_axes], std::uint64_t total) {
  auto const is_last = [&] {
    for (std::size_t d = 0; d < axes.rank(); ++d)
      if (shapes.back().count[d] != count[d]) return false;
    return true;
  };
  if (shapes.empty() || !is_last()) {
    PlacedShape shape{};
    shape.words = static_cast<std::uint32_t>(total);
    for (std::size_t d = 0; d < axes.rank(); ++d) {
      auto const step = table.axes[d].step;
      shape.count[d] = static_cast<std::uint32_t>(count[d]);
      shape.by_steps[d] = Division{((shape.count[d] - 1) >> step) + 1};
    }
    shapes.push_back(shape);
  }
  return static_cast<std::uint32_t>(shapes.size() - 1);
}

TESSERA_DECL std::uint64_t BoxDivider::blocks_of(PlacedShape const& shape) const {
  auto const words_per_block = placing_threads * words_per_thread(axes.word());
  if (!tiled) return (shape.words - 1) / words_per_block + 1;
  std::uint64_t steps = 1;
  for (std::size_t d = 0; d < axes.rank(); ++d) steps *= shape.by_steps[d].divisor;
  return steps;
}

TESSERA_DECL void PlacementPlan::make(Batch batch, PlacementForm const& form, std::uint64_t limit, bool whole) {
  boxes.clear();
  shapes.clear();
  table = {};
  blocks = 0;
  kinds_.find(batch, form);
  moved = kinds_.bytes;
  if (moved == 0) return;
  axes_.find(kinds_, form, whole ? 1 : 16);
  word = axes_.word();
  expect_placeable(form);
  set_swapping(form);
  repeat_fill(form);
  auto const column = kinds_.copies && !whole ? column_of_tiles(axes_) : axes_.rank();
  tiled = column != axes_.rank();
  if (tiled) choose_tile(column, axes_, table);
  for (std::size_t d = 0; d < axes_.rank(); ++d) {
    table.axes[d].from = axes_[d].from;
    table.axes[d].to = axes_[d].to;
  }
  table.rank = static_cast<std::uint32_t>(axes_.rank());
  BoxDivider divider{axes_, table, tiled, limit, moved, boxes, shapes};
  kinds_.for_each(batch, [&](Batch alike) { divider.add(alike); });
  blocks = divider.blocks;
  table.box_count = static_cast<std::uint32_t>(boxes.size());
  table.by_box = Division{boxes[0].blocks};
}

TESSERA_DECL void PlacementPlan::expect_placeable(PlacementForm const& form) const {
  if (axes_.rank() > most_axes)
    throw Error{to_text({"a device cannot place boxes of ", axes_.rank(),
                         " dimensions that are not contiguous, expected at most ", most_axes})};
  bool const is_swapped_by_words =
      std::has_single_bit(form.swapped) && form.swapped <= 8 && form.item_size % form.swapped == 0;
  if (form.item_size >= std::size_t{1} << 30 || !is_swapped_by_words)
    throw Error{to_text({"a device cannot place elements of ", form.item_size,
                         " bytes whose byte order is reversed in groups of ", form.swapped})};
}

TESSERA_DECL void PlacementPlan::set_swapping(PlacementForm const& form) {
  auto const swapped = static_cast<std::uint32_t>(form.swapped);
  if (swapped > word) table.axes[axes_.rank() - 1].mirror = swapped / word - 1;
  table.swapped = std::min(swapped, word);
}

TESSERA_DECL void PlacementPlan::repeat_fill(PlacementForm const& form) {
  auto const period = std::lcm(form.item_size, std::size_t{word});
  table.fill_words = Division{static_cast<std::uint32_t>(period / word)};
  fill.clear();
  while (kinds_.fills && form.fill.size != 0 && fill.size() < period)
    fill.insert(fill.end(), form.fill.data, form.fill.data + form.fill.size);
}

}}}  // namespace tessera::v0::detail
