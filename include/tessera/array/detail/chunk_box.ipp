#pragma once
#include <tessera/array/detail/chunk_box.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/metadata/detail/rectilinear.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Box box_of_chunk(Extents const& chunk, Extents const& grid, Extents const& shape,
                              Extents const& chunk_shape, std::vector<ChunkEdges> const& edges) {
  if (chunk.rank() != grid.rank())
    throw SelectionError{to_text({"found a chunk index of ", chunk.rank(), " dimensions, expected ", grid.rank()})};
  std::vector<Slice> slices;
  auto const axes = chunk_axes(edges, shape);
  for (std::size_t d = 0; d < grid.rank(); ++d) {
    if (chunk[d] >= grid[d])
      throw SelectionError{to_text({"dimension ", d, ": found chunk ", chunk[d], ", expected one below ", grid[d]})};
    if (!axes.empty()) {
      auto const [begin, elements] = axes[d].chunk(chunk[d]);
      slices.emplace_back(begin, begin + elements);
      continue;
    }
    auto const length = chunk_shape[d], first = chunk[d] * length;
    slices.emplace_back(first, first + std::min(length, shape[d] - first));
  }
  return Box{std::move(slices)};
}

TESSERA_DECL Region box_of_chunks(std::span<PlacedChunk const> listed, Extents const& shape, Extents const& chunk_shape,
                                  std::vector<ChunkAxis> const& axes) {
  auto const rank = shape.rank();
  auto first = shape, end = Extents::filled(rank, 0);
  for (auto const& [chunk, target, wanted] : listed) {
    if (chunk.rank() != rank)
      throw SelectionError{to_text({"found a chunk index of ", chunk.rank(), " dimensions, expected ", rank})};
    for (std::size_t d = 0; d < rank; ++d) {
      bool const is_there = axes.empty() ? shape[d] != 0 && chunk[d] <= (shape[d] - 1) / chunk_shape[d]
                                         : chunk[d] < axes[d].chunks();
      if (!is_there)
        throw SelectionError{
            to_text({"dimension ", d, ": found chunk ", chunk[d], ", expected one that begins below ", shape[d]})};
      auto const begin = axes.empty() ? chunk[d] * chunk_shape[d] : axes[d].chunk(chunk[d]).first;
      auto const count = axes.empty() ? std::min(chunk_shape[d], shape[d] - begin) : axes[d].chunk(chunk[d]).elements;
      first[d] = std::min(first[d], begin);
      end[d] = std::max(end[d], begin + count);
    }
  }
  Region box{first, Extents::filled(rank, 0), Extents::filled(rank, 1)};
  for (std::size_t d = 0; d < rank; ++d) box.count[d] = end[d] - std::min(first[d], end[d]);
  return box;
}

}}}  // namespace tessera::v0::detail
