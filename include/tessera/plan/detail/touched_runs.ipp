#pragma once
#include <tessera/plan/detail/touched_runs.hpp>

#include <cstdint>
#include <memory>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>
#include <tessera/plan/detail/mask_chunks.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void TouchedRuns::find(ResolvedSelection const& selected, std::uint64_t elements,
                                    Extents const& chunk_shape, Extents const& group, Repeats repeats) {
  if (selected.is_points) {
    auto const& [first, count, owner] = selected.points;
    points_ = std::make_unique<ChunkRuns>(first, count, elements, chunk_shape, group, repeats);
  } else if (selected.is_mask) {
    mask_ = std::make_unique<MaskChunks>(selected.mask, chunk_shape, group);
  }
}

}}}  // namespace tessera::v0::detail
