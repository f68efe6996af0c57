#pragma once
#include <tessera/plan/detail/touched_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_numbers.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>
#include <tessera/view/detail/mask_bits.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL MaskChunks::MaskChunks(MaskBits const& mask, Extents const& chunk_shape, Extents const& group)
    : mask_{&mask}, chunk_shape_{chunk_shape}, strides_{chunk_shape} {
  auto const rank = chunk_shape.rank();
  auto const& shape = mask.shape();
  if (mask.count() == 0) return;
  auto grid = shape;
  std::uint64_t elements = 1, chunks = 1;
  for (auto d = rank; d-- > 0; elements *= shape[d]) {
    strides_[d] = elements;
    grid[d] = (shape[d] - 1) / chunk_shape[d] + 1;
    chunks *= grid[d];
  }
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(chunks));
  auto const length = rank == 0 ? 1 : shape[rank - 1], of_chunk = rank == 0 ? 1 : chunk_shape[rank - 1];
  auto row = Extents::filled(rank, 0);
  for (std::uint64_t first = 0, before = 0; first < elements; first += length) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) at = at * static_cast<std::size_t>(grid[d]) + row[d] / chunk_shape[d];
    for (std::uint64_t begin = 0; begin < length; ++at) {
      begin += std::min(of_chunk, length - begin);
      auto const past = mask.count_before(first + begin);
      counts[at] += past - before;
      before = past;
    }
    for (auto d = rank; d > 1 && ++row[d - 2] == shape[d - 2];) row[--d - 1] = 0;
  }
  numbers_ = {grid, group};
  for_each_chunk(counts, grid, [&](Extents const& chunk, std::uint64_t count) {
    chunks_.push_back({numbers_.number(chunk), count});
  });
  std::sort(chunks_.begin(), chunks_.end(), [](Chunk const& a, Chunk const& b) { return a.number < b.number; });
}

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
