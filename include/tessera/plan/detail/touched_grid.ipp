#pragma once
#include <tessera/plan/detail/touched_grid.hpp>

#include <cstddef>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/plan/detail/plan_axis.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void put_run(Part& part, std::size_t d, PlanAxis::Run const& run) {
  part.first[d] = run.first;
  part.count[d] = run.count;
  part.target[d] = run.target;
}

TESSERA_DECL void TouchedGrid::find(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group,
                                    Repeats repeats) {
  group_ = group;
  Extents touched;
  auto const& region = selected.region;
  for (std::size_t d = 0; d < rank(); ++d) {
    if (auto const* const list = selected.list(d))
      axes_[d] = {*list, chunk_shape[d], repeats};
    else
      axes_[d] = {region.first[d], region.count[d], region.step[d], chunk_shape[d]};
    has_lists_ |= axes_[d].is_list();
    touched.push_back(axes_[d].size());
  }
  size_ = element_count(touched, "the number of chunks");
  is_grouped_ = group_ != Extents::filled(rank(), 1);
}

TESSERA_DECL void TouchedGrid::put(Piece& piece, std::size_t d) const {
  piece.chunk[d] = axes_[d].chunk(piece.touched[d]);
  put_run(piece.part, d, axes_[d].run(piece.touched[d], 0));
}

}}}  // namespace tessera::v0::detail
