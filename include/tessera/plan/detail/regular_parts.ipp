#pragma once
#include <tessera/plan/detail/regular_parts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/plan/detail/points_in_parts.hpp>
#include <tessera/plan/detail/regular_part.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::vector<AxisPiece> pieces_of(ChunkAxis const& axis, std::uint64_t first, std::uint64_t count,
                                              std::uint64_t step) {
  std::vector<AxisPiece> pieces;
  for (std::uint64_t i = 0; i < count;) {
    auto const& part = axis.part_of(first + i * step);
    auto const begin = first + i * step - part.first;
    auto const some = std::min(count - i, (part.elements - begin - 1) / step + 1);
    pieces.push_back({&part, begin, some, step, i});
    i += some;
  }
  return pieces;
}

TESSERA_DECL std::vector<AxisPiece> pieces_of(ChunkAxis const& axis, std::vector<std::uint64_t> const& list) {
  std::vector<AxisPiece> pieces;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const& part = axis.part_of(list[i]);
    if (pieces.empty() || pieces.back().part != &part) pieces.push_back({&part, 0, 0, 1, i});
    pieces.back().indices.push_back(list[i] - part.first);
    ++pieces.back().count;
  }
  return pieces;
}

TESSERA_DECL void each_part_of_box(ResolvedSelection const& selected, ChunkAxes const& axes, UsePart f) {
  auto const rank = axes.size();
  std::vector<std::vector<AxisPiece>> pieces;
  for (std::size_t d = 0; d < rank; ++d) {
    auto const* const list = selected.list(d);
    auto const& region = selected.region;
    pieces.push_back(list ? pieces_of(axes[d], *list)
                          : pieces_of(axes[d], region.first[d], region.count[d], region.step[d]));
    if (pieces.back().empty()) return;
  }
  auto at = Extents::filled(rank, 0);
  for (;;) {
    RegularPart part;
    Region region;
    Extents target;
    std::vector<IndexList> lists;
    for (std::size_t d = 0; d < rank; ++d) {
      auto const& one = pieces[d][static_cast<std::size_t>(at[d])];
      part.first_chunk.push_back(one.part->first_chunk);
      part.shape.push_back(one.part->elements);
      part.chunk_shape.push_back(one.part->chunk);
      region.first.push_back(one.first);
      region.count.push_back(one.count);
      region.step.push_back(one.step);
      target.push_back(one.target);
      if (!one.indices.empty()) lists.push_back({d, one.indices});
    }
    ResolvedSelection some{region};
    some.lists = std::move(lists);
    f(part, some, target);
    auto d = rank;
    do {
      if (d-- == 0) return;
      at[d] = at[d] + 1 == pieces[d].size() ? 0 : at[d] + 1;
    } while (at[d] == 0);
  }
}

TESSERA_DECL void for_each_regular_part(ResolvedSelection const& selected, ChunkAxes const& axes, Extents const& shape,
                                        UsePart f) {
  if (selected.is_points) return each_part_of_points(selected, axes, f);
  if (selected.is_mask) return each_part_of_mask(selected, axes, shape, f);
  each_part_of_box(selected, axes, f);
}

}}}  // namespace tessera::v0::detail
