// The inner chunks that a selection touches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/cache/cached_chunk.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/plan.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Calls f(number) for each chunk of a region, in C order, until it returns false. Returns whether it never did.
/// Requires: steps are no longer than chunks.
template <std::size_t Rank, class F>
bool for_each_neighbour(Region const& region, Extents const& chunk_shape, F&& f) {
  ChunkNumber<Rank> first, last;
  for (std::size_t d = 0; d < Rank; ++d) {
    if (region.count[d] == 0) return true;
    first.place[d] = region.first[d] / chunk_shape[d];
    last.place[d] = (region.first[d] + (region.count[d] - 1) * region.step[d]) / chunk_shape[d];
  }
  for (auto at = first;;) {
    if (!f(std::as_const(at))) return false;
    auto d = Rank;
    for (;;) {
      if (d-- == 0) return true;
      if (at.place[d]++ < last.place[d]) break;
      at.place[d] = first.place[d];
    }
  }
}
template <std::size_t Rank>
bool has_short_steps(Region const& region, Extents const& chunk_shape) {
  for (std::size_t d = 0; d < Rank; ++d)
    if (region.step[d] > chunk_shape[d]) return false;
  return true;
}

/// Likewise, of any selection.
template <std::size_t Rank, class F>
bool for_each_chunk(ResolvedSelection const& selected, Extents const& chunk_shape, F&& f) {
  bool const is_region = !selected.is_points && !selected.is_mask && selected.lists.empty();
  if (is_region && has_short_steps<Rank>(selected.region, chunk_shape))
    return for_each_neighbour<Rank>(selected.region, chunk_shape, f);
  Plan const plan{selected, chunk_shape};
  for (std::uint64_t i = 0; i < plan.size(); ++i) {
    ChunkNumber<Rank> number;
    auto const chunk = plan.piece(i).chunk;
    for (std::size_t d = 0; d < Rank; ++d) number.place[d] = chunk[d];
    if (!f(std::as_const(number))) return false;
  }
  return true;
}
template <std::size_t Rank, class F>
bool for_each_chunk(Region const& region, Extents const& chunk_shape, F&& f) {
  if (has_short_steps<Rank>(region, chunk_shape)) return for_each_neighbour<Rank>(region, chunk_shape, f);
  return for_each_chunk<Rank>(ResolvedSelection{region}, chunk_shape, f);
}

}}}  // namespace tessera::v0::detail
