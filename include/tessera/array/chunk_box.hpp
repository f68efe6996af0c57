// The elements of chunks, as boxes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/metadata/rectilinear.hpp>
#include <tessera/plan/chunk_edges.hpp>
#include <tessera/plan/piece.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The part of an array that is in one chunk, by its place in the grid; `edges` are those of a rectilinear grid. Throws:
/// SelectionError.
inline Box box_of_chunk(Extents const& chunk, Extents const& grid, Extents const& shape, Extents const& chunk_shape,
                        std::vector<ChunkEdges> const& edges) {
  if (chunk.rank() != grid.rank())
    throw SelectionError{text({"a chunk's place of ", chunk.rank(), " dimensions, expected ", grid.rank()})};
  std::vector<Slice> slices;
  auto const axes = chunk_axes(edges, shape);
  for (std::size_t d = 0; d < grid.rank(); ++d) {
    if (chunk[d] >= grid[d])
      throw SelectionError{text({"dimension ", d, ": found chunk ", chunk[d], ", expected one below ", grid[d]})};
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

/// The smallest box of elements that has all listed chunks of a regular grid. Throws: SelectionError, if one lies
/// outside.
inline Region box_of_chunks(std::span<PlacedChunk const> listed, Extents const& shape, Extents const& chunk_shape) {
  auto const rank = shape.rank();
  Region box{shape, Extents::filled(rank, 0), Extents::filled(rank, 1)};
  for (auto const& [chunk, target] : listed)
    for (std::size_t d = 0; d < rank; ++d) box.first[d] = std::min(box.first[d], chunk[d] * chunk_shape[d]);
  for (auto const& [chunk, target] : listed)
    for (std::size_t d = 0; d < rank; ++d) {
      auto const first = chunk[d] * chunk_shape[d];
      if (first >= shape[d])
        throw SelectionError{
            text({"dimension ", d, ": found chunk ", chunk[d], ", expected one that begins below ", shape[d]})};
      box.count[d] = std::max(box.count[d], first + std::min(chunk_shape[d], shape[d] - first) - box.first[d]);
    }
  return box;
}

}}}  // namespace tessera::v0::detail
