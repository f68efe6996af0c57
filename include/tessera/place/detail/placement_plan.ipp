#pragma once
#include <tessera/place/detail/placement_plan.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <tessera/core/error.hpp>
#include <tessera/place/detail/box_divider.hpp>
#include <tessera/place/detail/choose_tile.hpp>
#include <tessera/place/detail/joined_axes.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_kinds.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
